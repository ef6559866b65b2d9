// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"memward/internal/groupfs"
	"memward/internal/text"
)

func (a *app) show() *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use:   "show GROUP [FILE]...",
		Short: "Show what a group's files say",
		Long: `Shows the files of a group: those named, as they are; else those that say what it uses, what it may use and which events there
were. With --all also memory.stat, and the files that are there for programs written for cgroup v1.`,
		Args:              takes(1, unlimited),
		ValidArgsFunction: a.groupNames,
		RunE: func(_ *cobra.Command, args []string) error {
			g, err := a.group(args[0])
			if err != nil {
				return err
			}
			return a.showGroup(g, args[1:], all)
		},
	}
	cmd.Flags().BoolVarP(&all, "all", "a", false, "all files that can be read")
	return cmd
}

func (a *app) showGroup(g groupfs.Group, files []string, all bool) error {
	named := len(files) > 0
	if !named {
		var err error
		if files, err = readable(g, all); err != nil {
			return err
		}
	}
	contents := make(map[string]string, len(files))
	for _, file := range files {
		if strings.Contains(file, "/") {
			return &groupfs.NoFileError{Group: g.Name(), File: file}
		}
		content, err := g.Read(file)
		if err != nil {
			return err
		}
		contents[file] = content
	}
	switch {
	case a.json:
		return a.showJSON(g, contents)
	case named:
		for _, file := range files {
			fmt.Fprintln(a.out, contents[file])
		}
		return nil
	}
	return a.showTable(g, files, contents)
}

// What looks at the whole machine is read when it is asked for.
var costly = []string{"memward.audit", "memward.status"}

// Names of cgroup v1 for what is there by another one, and what always says the same.
var redundant = []string{
	"tasks", "memory.usage_in_bytes", "memory.max_usage_in_bytes", "memory.limit_in_bytes", "memory.swap.reclaim", "memory.stat",
	"memory.events.local", "cgroup.controllers", "cgroup.subtree_control", "cgroup.type", "memory.failcnt", "memory.memsw.failcnt",
	"memory.memsw.max_usage_in_bytes", "cgroup.stat", "memward.version",
}

func readable(g groupfs.Group, all bool) ([]string, error) {
	entries, err := os.ReadDir(g.Dir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &groupfs.NoGroupError{Name: g.Name()}
	}
	if err != nil {
		return nil, err
	}
	var files []string
	for _, entry := range entries {
		info, err := entry.Info()
		switch {
		case err != nil, entry.IsDir(), info.Mode().Perm()&0o444 == 0, slices.Contains(costly, entry.Name()):
		case all || !slices.Contains(redundant, entry.Name()):
			files = append(files, entry.Name())
		}
	}
	slices.Sort(files)
	return files, nil
}

func (a *app) showTable(g groupfs.Group, files []string, contents map[string]string) error {
	fmt.Fprintln(a.out, groupfs.Quote(g.Dir()))
	width := 0
	for _, file := range files {
		width = max(width, len(file))
	}
	for _, file := range files {
		for i, line := range describe(file, contents[file]) {
			name := file
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(a.out, "  %-*s  %s\n", width, name, line)
		}
	}
	return nil
}

// describe is what a file says, for a person.
func describe(file, content string) []string {
	lines := strings.Split(content, "\n")
	counts := groupfs.ParseCounts(content)
	switch {
	case content == "":
		return []string{"-"}
	case file == "cgroup.procs" || file == "tasks":
		return []string{strings.Join(lines, " ")}
	case file == "memward.bind":
		for i := range lines {
			lines[i] = groupfs.Quote(lines[i])
		}
		return lines
	case strings.HasSuffix(file, "events") || strings.HasSuffix(file, "events.local"):
		return []string{text.Counts(counts, true)}
	case len(lines) == 1 && isSize(file):
		if bytes, err := strconv.ParseInt(content, 10, 64); err == nil {
			return []string{text.Size(bytes)}
		}
	}
	return lines
}

// isSize says whether a file's number is one of bytes.
func isSize(file string) bool {
	for _, suffix := range []string{".current", ".peak", ".min", ".low", ".high", ".max", "_in_bytes", "swap.reclaim"} {
		if strings.HasPrefix(file, "memory.") && strings.HasSuffix(file, suffix) {
			return true
		}
	}
	return false
}

func (a *app) showJSON(g groupfs.Group, contents map[string]string) error {
	files := make(map[string]any, len(contents))
	for file, content := range contents {
		files[file] = valueOf(file, content)
	}
	return a.printJSON(struct {
		Group string         `json:"group"`
		Files map[string]any `json:"files"`
	}{g.Name(), files})
}

// valueOf is what a file says, for a program: a number, null for "max", an object of lines of a name and a number, or text.
func valueOf(file, content string) any {
	counts := groupfs.ParseCounts(content)
	number, err := strconv.ParseInt(content, 10, 64)
	switch {
	case file == "cgroup.procs" || file == "tasks":
		return numbersOf(content)
	case file == "memward.bind":
		return strings.FieldsFunc(content, func(r rune) bool { return r == '\n' })
	case content == "max":
		return nil
	case err == nil:
		return number
	case len(counts.Names) > 0 && len(counts.Names) == strings.Count(content, "\n")+1:
		return counts
	}
	return content
}

func numbersOf(content string) []int64 {
	numbers := []int64{}
	for word := range strings.FieldsSeq(content) {
		if number, err := strconv.ParseInt(word, 10, 64); err == nil {
			numbers = append(numbers, number)
		}
	}
	return numbers
}
