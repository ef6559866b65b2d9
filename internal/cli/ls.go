// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"github.com/spf13/cobra"

	"memward/internal/groupfs"
	"memward/internal/text"
)

func (a *app) ls() *cobra.Command {
	depth := unlimited
	cmd := &cobra.Command{
		Use:   "ls [GROUP]",
		Short: "List groups, what they use and may use",
		Long: `Lists a group (/ if none is named) and those below it, as a tree: what is charged to them, what they have in swap, their
memory.low, memory.high and memory.max, and which events there were (memory.events).`,
		Args:              takes(0, 1),
		ValidArgsFunction: a.groupNames,
		RunE: func(_ *cobra.Command, args []string) error {
			name := "/"
			if len(args) > 0 {
				name = args[0]
			}
			return a.list(name, depth)
		},
	}
	cmd.Flags().IntVarP(&depth, "depth", "d", depth, "no groups further below than `N` levels")
	return cmd
}

func (a *app) list(name string, depth int) error {
	tree, err := a.tree()
	if err != nil {
		return err
	}
	top, err := tree.Group(name)
	if err != nil {
		return err
	}
	var groups []groupfs.Group
	usages := []groupfs.Usage{}
	err = tree.Walk(top, depth, func(g groupfs.Group) error {
		usage, err := g.Usage()
		if err == nil {
			groups, usages = append(groups, g), append(usages, usage)
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case a.json:
		return a.printJSON(usages)
	}
	return a.printTree(groups, usages)
}

func (a *app) printTree(groups []groupfs.Group, usages []groupfs.Usage) error {
	table := text.Table{Width: a.width(), Tail: true}
	table.Add("GROUP", "CURRENT", "HIGH", "MAX", "LOW", "SWAP", "EVENTS")
	depths := make([]int, len(groups))
	for i, g := range groups {
		depths[i] = g.Depth()
	}
	prefixes := text.NewBranches().Prefixes(depths)
	for i, u := range usages {
		swap := "-"
		if !groups[i].IsRoot() {
			swap = text.Size(u.Swap)
		}
		table.Add(prefixes[i]+groupfs.Quote(labelOf(groups, i)), text.Size(u.Current), text.Limit(u.High), text.Limit(u.Max),
			protection(u), swap, text.Counts(u.Events, false))
	}
	return table.Print(a.out)
}

// labelOf is the whole name of the top, and the last part of those below it.
func labelOf(groups []groupfs.Group, i int) string {
	if i == 0 {
		return groups[i].Name()
	}
	return groups[i].Base()
}

// protection is memory.low, or memory.min if that is more.
func protection(u groupfs.Usage) string {
	bytes := max(u.Low.Bytes, u.Min.Bytes)
	switch {
	case u.Name == "/":
		return "-"
	case !u.Low.Set || !u.Min.Set:
		return "max"
	case bytes == 0:
		return "-"
	}
	return text.Size(bytes)
}
