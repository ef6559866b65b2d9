// SPDX-License-Identifier: GPL-2.0

// Package cgroup finds the kernel's own cgroup of a unit of systemd or of a container.
package cgroup

import (
	"errors"
	"fmt"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/moby/sys/mountinfo"

	"memward/internal/groupfs"
)

// Root is where the kernel's own cgroups (v2) are mounted: on a host that has v1 beside it, not where one expects it.
func Root() string {
	infos, err := mountinfo.GetMounts(mountinfo.FSTypeFilter("cgroup2"))
	if err != nil || len(infos) == 0 {
		return "/sys/fs/cgroup"
	}
	return infos[0].Mountpoint
}

// UnknownError says that a word is the name of nothing that has a cgroup.
type UnknownError struct {
	Word string
	// Why says of each thing that it could have been why it is not.
	Why []string
}

func (e *UnknownError) Error() string {
	text := groupfs.Quote(e.Word) + " is no path of a cgroup, no unit of systemd and no container"
	for _, why := range e.Why {
		text += "\n  " + why
	}
	return text
}

var unitName = regexp.MustCompile(`^[^/]+\.(service|slice|scope|socket|mount|swap)$`)

// inV1 is a path in a hierarchy of cgroup v1, as a line of /proc/PID/cgroup has it behind its number. Which hierarchies there
// can be is for the kernel to say.
var inV1 = regexp.MustCompile(`^[\w.,=-]+:/`)

// IsPlace says whether a word has the form of a path, in cgroup v1 with its hierarchy, or of a unit's whole name: it means the same whatever runs.
func IsPlace(word string) bool {
	return strings.HasPrefix(word, "/") || inV1.MatchString(word) || unitName.MatchString(word)
}

// Place is what memward.bind wants for a word that IsPlace: a path, in cgroup v1 with its hierarchy.  A path is as it stands below Root, or with that
// in front.  Nobody is asked but systemd, and that for a unit only.
func Place(word string) (string, error) {
	root := Root()
	switch {
	case word == root:
		return "/", nil
	case strings.HasPrefix(word, root+"/"):
		return word[len(root):], nil
	case !strings.HasPrefix(word, "/") && !inV1.MatchString(word):
		return ofUnit(word)
	}
	return word, nil
}

// Find is what memward.bind wants for whatever somebody may type: a Place, the number of a directory's inode, a service without its suffix, or a
// container, after which those who run them are asked.
func Find(word string) (string, error) {
	switch {
	case IsPlace(word):
		return Place(word)
	case isNumber(word) && !isID.MatchString(word):
		return word, nil
	}
	found, err := search(word)
	if err != nil && isNumber(word) {
		return word, nil
	}
	return found, err
}

// InV1 is the shortest form of a path in a hierarchy of cgroup v1, as memward.bind shows it: with the hierarchy's controllers in the kernel's order,
// and its name= behind them; false if it is none.  controllers reads /proc/cgroups, which has them in that order: only then, as the kernel
// may log that somebody does.
func InV1(word string, controllers func() []byte) (place string, ok bool) {
	if !inV1.MatchString(word) {
		return "", false
	}
	known := controllers()
	name, below, _ := strings.Cut(word, ":")
	pieces := strings.Split(name, ",")
	slices.SortStableFunc(pieces, func(a, b string) int { return rank(a, known) - rank(b, known) })
	return strings.Join(pieces, ",") + ":" + path.Clean(below), true
}

// rank is the line of /proc/cgroups that a controller has. A name, and what the kernel does not know, come last.
func rank(piece string, known []byte) (nr int) {
	for line := range strings.Lines(string(known)) {
		if first, _, _ := strings.Cut(line, "\t"); first == piece {
			break
		}
		nr++
	}
	return nr
}

// Exists says whether there is such a cgroup now.
func Exists(cgroup string) bool {
	_, err := os.Stat(path.Join(Root(), cgroup))
	return err == nil
}

func isNumber(word string) bool { return word != "" && strings.Trim(word, "0123456789") == "" }

// search finds what could be a service, as systemctl lets its suffix be left out, or a container.
func search(word string) (string, error) {
	var why []string
	for _, look := range []func(string) (string, error){ofService, ofContainer} {
		found, err := look(word)
		var several *UmbrellaError
		var silent *SilentError
		if err == nil || errors.As(err, &several) || errors.As(err, &silent) {
			return found, err
		}
		if !errors.Is(err, errNone) {
			why = append(why, err.Error())
		}
	}
	return "", &UnknownError{word, why}
}

// errNone says that there is nothing of that name, and no more.
var errNone = errors.New("there is none")

// ofSlice is the cgroup of a slice: a-b.slice is in a.slice.
func ofSlice(name string) string {
	if name == "-.slice" {
		return "/"
	}
	at, above := "/", ""
	for part := range strings.SplitSeq(strings.TrimSuffix(name, ".slice"), "-") {
		above += part
		at = path.Join(at, escape(above+".slice"))
		above += "-"
	}
	return at
}

// What systemd's cg_needs_escape() has in front of a dot: the names of files in a cgroup begin so.
var reserved = []string{
	"cgroup", "cpu", "cpuacct", "cpuset", "io", "blkio", "memory", "devices", "pids", "bpf-firewall", "bpf-devices", "bpf-foreign",
	"bpf-socket-bind", "bpf-restrict-network-interfaces",
}

// escape is how systemd names the cgroup of a unit whose name could be one of the kernel's files.
func escape(unit string) string {
	first, _, _ := strings.Cut(unit, ".")
	if strings.HasPrefix(unit, "_") || strings.HasPrefix(unit, ".") || slices.Contains(reserved, first) {
		return "_" + unit
	}
	return unit
}

// UnitOf is the name of the unit whose cgroup has this name.
func UnitOf(base string) string {
	if name, found := strings.CutPrefix(base, "_"); found && escape(name) == base {
		return name
	}
	return base
}

func notBound(word string, err error) error {
	return fmt.Errorf("the cgroup of %s: %w", groupfs.Quote(word), err)
}
