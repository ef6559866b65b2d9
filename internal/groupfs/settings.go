// SPDX-License-Identifier: GPL-2.0

package groupfs

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"syscall"
)

// Setting is a value for one of a group's files.
type Setting struct{ File, Value string }

// ParseSetting reads FILE=VALUE.
func ParseSetting(text string) (Setting, error) {
	file, value, found := strings.Cut(text, "=")
	if !found || file == "" || value == "" {
		return Setting{}, fmt.Errorf("%s is not FILE=VALUE, such as memory.high=100M", Quote(text))
	}
	if strings.ContainsAny(file, "/\x00") {
		return Setting{}, fmt.Errorf("%s is no name of a file", Quote(file))
	}
	return Setting{file, value}, nil
}

// ParseSettings reads all of them.
func ParseSettings(texts []string) ([]Setting, error) {
	settings := make([]Setting, 0, len(texts))
	for _, text := range texts {
		setting, err := ParseSetting(text)
		if err != nil {
			return nil, err
		}
		settings = append(settings, setting)
	}
	return settings, nil
}

// What can be read and written and is no setting, with what it is instead.
var noSettings = map[string]string{
	"cgroup.procs":                    "a list of processes: memward attach moves one",
	"tasks":                           "a list of processes: memward attach moves one",
	"memward.bind":                    "a list of cgroups: memward bind adds one",
	"memward.adopt":                   "no setting: write a pid to it to charge what that process has",
	"memory.reclaim":                  "no setting: memward reclaim asks for memory back",
	"memory.swap.reclaim":             "no setting: memward reclaim asks for memory back",
	"memory.force_empty":              "no setting: memward reclaim asks for memory back",
	"cgroup.kill":                     "no setting: memward remove --kill ends all processes",
	"memory.peak":                     "a measurement",
	"memory.max_usage_in_bytes":       "a measurement",
	"memory.swap.peak":                "a measurement",
	"memory.memsw.max_usage_in_bytes": "a measurement",
	"memory.failcnt":                  "a measurement",
	"memory.memsw.failcnt":            "a measurement",
	"cgroup.type":                     "always domain",
	"cgroup.subtree_control":          "always memory",
}

// What cannot be made undone is set when all else was taken.  v1's limits are refused where they can have no more room;
// which of them comes first is for whoever raises or lowers both.  The next two say, when nobody has set them, what the
// machine's value is, so writing back what was read is not what was.  The last ones take memory away, in the end by killing.
var ranks = map[string]int{
	"memory.limit_in_bytes": 1, "memory.memsw.limit_in_bytes": 1, "memory.swappiness": 2, "memory.dirty_ratio": 2, "memory.high": 3, "memory.max": 4,
}

func (g Group) checkSetting(s Setting) error {
	info, err := os.Stat(g.file(s.File))
	if err != nil {
		return explain(g, s.File, err)
	}
	if what, found := noSettings[s.File]; found {
		return fmt.Errorf("%s is %s", s.File, what)
	}
	if info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("%s is a measurement, and cannot be set", s.File)
	}
	if _, err := ParseSize(s.Value); err != nil && takesSize(s.File) && s.Value != "max" && s.Value != "-1" {
		return &ValueError{s.File, s.Value, syscall.EINVAL}
	}
	return nil
}

// takesSize says whether a setting is a number of bytes.
func takesSize(file string) bool {
	for _, suffix := range []string{".min", ".low", ".high", ".max", "limit_in_bytes"} {
		if strings.HasPrefix(file, "memory.") && strings.HasSuffix(file, suffix) {
			return true
		}
	}
	return false
}

// Set makes all of the settings, or, if one is refused, none: those before it get back what they were.
func (g Group) Set(settings []Setting) error {
	for _, s := range settings {
		if err := g.checkSetting(s); err != nil {
			return err
		}
	}
	settings = slices.Clone(settings)
	slices.SortStableFunc(settings, func(a, b Setting) int { return ranks[a.File] - ranks[b.File] })
	var before []Setting
	for _, s := range settings {
		old, err := g.Read(s.File)
		if err == nil {
			err = g.Write(s.File, s.Value)
		}
		if err != nil {
			return errors.Join(err, g.restore(before))
		}
		before = append(before, Setting{s.File, old})
	}
	return nil
}

func (g Group) restore(before []Setting) error {
	var failed error
	for _, s := range slices.Backward(before) {
		if err := g.Write(s.File, s.Value); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s stays as it was set: %w", s.File, err))
		}
	}
	return failed
}
