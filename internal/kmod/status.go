// SPDX-License-Identifier: GPL-2.0

package kmod

import (
	"strconv"
	"strings"

	"memward/internal/groupfs"
)

// Hook is one function of the kernel, and how memward hangs there.
type Hook struct {
	Feature  string `json:"feature"`
	Function string `json:"function"`
	How      string `json:"how"`
	State    string `json:"state"`
	Hits     int64  `json:"hits"`
	Remark   string `json:"remark"`
}

// IsWell says whether it does what it is for, or will when it is wanted.  What this kernel could never give
// (refused) is not ill: without what must be there the mount would have been refused.
func (h Hook) IsWell() bool { return h.State != "shadowed" && h.State != "lost" }

// IsRefused says whether this kernel cannot give it.
func (h Hook) IsRefused() bool { return h.State == "refused" }

// Hooks reads memward.status: its hooks, and the counters below them.
func Hooks(root groupfs.Group) ([]Hook, groupfs.Counts, error) {
	text, err := root.Read("memward.status")
	if err != nil {
		return nil, groupfs.Counts{}, err
	}
	hooks, rest := parseHooks(text)
	return hooks, groupfs.ParseCounts(rest), nil
}

// parseHooks reads the table, and returns what comes after it.
func parseHooks(text string) (hooks []Hook, rest string) {
	var others strings.Builder
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) < 5 {
			others.WriteString(line)
			continue
		}
		hits, err := strconv.ParseInt(words[4], 10, 64)
		if err != nil {
			continue // the head
		}
		_, remark, _ := strings.Cut(strings.TrimSpace(line), " "+words[4]+"  ")
		hooks = append(hooks, Hook{words[0], words[1], words[2], words[3], hits, strings.TrimSpace(remark)})
	}
	return hooks, others.String()
}
