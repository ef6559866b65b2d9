// SPDX-License-Identifier: GPL-2.0

package groupfs

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
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

// CheckSetting says whether a setting could be one of a group, as far as that can be known without one.
func CheckSetting(s Setting) error {
	if !fileNames()[s.File] {
		return Advise("memward-files(5) has all", "there is no file %s", Quote(s.File))
	}
	return checkValue(s)
}

func checkValue(s Setting) error {
	if what, found := noSettings[s.File]; found {
		return fmt.Errorf("%s is %s", s.File, what)
	}
	if _, err := ParseSize(s.Value); err != nil && takesSize(s.File) && s.Value != "max" && s.Value != "-1" {
		return &ValueError{s.File, s.Value, syscall.EINVAL}
	}
	if takes, found := grammar[s.File]; found && !takes.MatchString(s.Value) {
		return &ValueError{s.File, s.Value, syscall.EINVAL}
	}
	return nil
}

// grammar is what files take that are not sizes: the module knows it too, but not before there is a group.
var grammar = map[string]*regexp.Regexp{
	"memory.swappiness":        regexp.MustCompile(`^0*(\d{1,2}|1\d\d|200)$`),
	"memory.dirty_ratio":       regexp.MustCompile(`^(0*(\d{1,2}|100)|max|default)$`),
	"memory.oom.group":         regexp.MustCompile(`^0*[01]$`),
	"memory.high.stall_max":    regexp.MustCompile(`^(\d+|max)$`),
	"memory.high.stall_action": regexp.MustCompile(`^(wait|lift|kill)$`),
	"cgroup.max.depth":         regexp.MustCompile(`^(\d+|max)$`),
	"cgroup.max.descendants":   regexp.MustCompile(`^(\d+|max)$`),
}

// CheckSetting says whether the group has a file for a setting, and that takes such a value.
func (g Group) CheckSetting(s Setting) error {
	info, err := os.Stat(g.file(s.File))
	if err != nil {
		return explain(g, s.File, err)
	}
	if err := checkValue(s); err != nil {
		return err
	}
	if info.Mode().Perm()&0o222 == 0 {
		return fmt.Errorf("%s is a measurement, and cannot be set", s.File)
	}
	return nil
}

// IsValue says whether what a file says is what a setting has written there: sizes are rounded down to whole pages.
func (s Setting) IsValue(says string) bool {
	if says == s.Value {
		return true
	}
	if s.Value == "-1" && says == "max" {
		return true
	}
	want, err := ParseSize(s.Value)
	have, wrong := ParseSize(says)
	if err != nil || wrong != nil {
		return false
	}
	if takesSize(s.File) {
		want -= want % int64(os.Getpagesize())
	}
	return want == have
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
		if err := g.CheckSetting(s); err != nil {
			return err
		}
	}
	return g.set(settings, g.Write)
}

// SetLater does likewise, without waiting for memory to be reclaimed where that is more than a new limit: whoever charges it next does that.
func (g Group) SetLater(settings []Setting) error {
	for _, s := range settings {
		if err := g.CheckSetting(s); err != nil {
			return err
		}
	}
	return g.set(settings, func(file, value string) error { return g.write(file, value, unix.O_NONBLOCK) })
}

func (g Group) set(settings []Setting, write func(file, value string) error) error {
	settings = slices.Clone(settings)
	slices.SortStableFunc(settings, func(a, b Setting) int { return ranks[a.File] - ranks[b.File] })
	var before []Setting
	for i, postponed := 0, false; i < len(settings); i++ {
		s := settings[i]
		old, err := g.Read(s.File)
		if err == nil {
			err = write(s.File, s.Value)
		}
		if isErrno(err, syscall.EINVAL) && !postponed && hasPair(settings[i:]) {
			// memory and swap together are never less than memory alone: both are raised in one order, and lowered in the other
			settings, postponed = append(settings, s), true
			continue
		}
		if err != nil {
			return errors.Join(err, restore(before, write))
		}
		before = append(before, Setting{s.File, old})
	}
	return nil
}

// hasPair says whether the first of them is a limit of memory, or of memory and swap together, and the other one is among those that follow.
func hasPair(settings []Setting) bool {
	first := settings[0].File
	if !slices.Contains(pair, first) {
		return false
	}
	return slices.ContainsFunc(settings[1:], func(s Setting) bool { return s.File != first && slices.Contains(pair, s.File) })
}

var pair = []string{"memory.max", "memory.limit_in_bytes", "memory.memsw.limit_in_bytes"}

// Kills says whether a setting can have somebody killed, or has to wait for its pair: it is made when all else was taken.
func (s Setting) Kills() bool { return ranks[s.File] > 2 || slices.Contains(pair, s.File) }

// IsMachines says whether the file shows the machine's value until somebody sets it: what it shows does not say that it is set.
func (s Setting) IsMachines() bool { return ranks[s.File] == 2 }

// Key is the same for two files that are one thing.
func (s Setting) Key() string {
	if s.File == "memory.limit_in_bytes" {
		return "memory.max"
	}
	return s.File
}

func restore(before []Setting, write func(file, value string) error) error {
	var failed error
	for _, s := range slices.Backward(before) {
		if err := write(s.File, s.Value); err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s stays as it was set: %w", s.File, err))
		}
	}
	return failed
}
