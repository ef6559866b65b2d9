// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"memward/internal/groupfs"
)

type removeOptions struct {
	recursive, kill bool
	patience        time.Duration
}

func (a *app) remove() *cobra.Command {
	options := removeOptions{patience: 10 * time.Second}
	cmd := &cobra.Command{
		Use:     "remove GROUP...",
		Aliases: []string{"rm", "rmdir"},
		Short:   "Remove groups",
		Long: `Removes groups. Nobody may be in them, and no group, unless it is said what becomes of those. What is still charged to a
group, its page cache mostly, is charged to the one above from then on.`,
		Args:              takes(1, unlimited),
		ValidArgsFunction: a.groupNames,
		RunE: func(_ *cobra.Command, args []string) error {
			for _, name := range args {
				if err := a.removeOne(name, options); err != nil {
					return err
				}
			}
			return nil
		},
	}
	cmd.Flags().BoolVarP(&options.recursive, "recursive", "r", false, "remove the groups below, too")
	cmd.Flags().BoolVar(&options.kill, "kill", false, "kill all processes of the group and below it first")
	cmd.Flags().DurationVar(&options.patience, "wait", options.patience, "`TIME` to wait until they have ended")
	return cmd
}

func (a *app) removeOne(name string, options removeOptions) error {
	tree, err := a.tree()
	if err != nil {
		return err
	}
	g, err := tree.Group(name)
	if err != nil {
		return err
	}
	if err := checkRemove(tree, g, options); err != nil {
		return err
	}
	if options.kill {
		if err := g.Kill(); err != nil {
			return err
		}
	}
	remove := func(g groupfs.Group) error { return removePatiently(g, options) }
	if !options.recursive {
		return remove(g)
	}
	return removeBelow(tree, g, remove)
}

// checkRemove finds out whether a group can be removed before anybody is killed, or a part of it is gone.
func checkRemove(tree *groupfs.Tree, g groupfs.Group, options removeOptions) error {
	switch {
	case g.IsRoot():
		return groupfs.Advise("memward unload unmounts it", "the root cannot be removed")
	case tree.Mirror != "":
		return &groupfs.MirrorError{What: "make or remove a group by hand"}
	}
	children, err := g.Children()
	if err != nil {
		return err
	}
	if len(children) > 0 && !options.recursive {
		return groupfs.Advise("with all that are below it: memward remove --recursive "+choose(options.kill, "--kill ", "")+argument(g.Name()),
			"%s has groups below it, %s first", groupfs.Quote(g.Name()), groupfs.Quote(children[0].Name()))
	}
	if !options.kill {
		return checkUnpopulated(tree, g)
	}
	inside, err := g.Holds(os.Getpid())
	if err == nil && inside {
		err = groupfs.Advise(fmt.Sprintf("memward attach / %d moves the shell out that has started it", os.Getppid()),
			"memward itself is in %s, and would be killed", groupfs.Quote(g.Name()))
	}
	return err
}

// checkUnpopulated says who is in a subtree, if anybody is.
func checkUnpopulated(tree *groupfs.Tree, top groupfs.Group) error {
	return tree.Walk(top, unlimited, func(g groupfs.Group) error {
		pids, err := g.Processes()
		if err == nil && len(pids) > 0 {
			err = &groupfs.BusyError{Name: g.Name(), Pids: pids}
		}
		return err
	})
}

// removePatiently waits for those who were killed.
func removePatiently(g groupfs.Group, options removeOptions) error {
	for end := time.Now().Add(options.patience); ; time.Sleep(10 * time.Millisecond) {
		err := g.Remove()
		var busy *groupfs.BusyError
		if !errors.As(err, &busy) || len(busy.Below) > 0 || !options.kill {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("%w, and that does not change", err)
		}
	}
}

// removeBelow removes a subtree, those below first.
func removeBelow(tree *groupfs.Tree, top groupfs.Group, remove func(groupfs.Group) error) error {
	children, err := top.Children()
	if err != nil {
		return err
	}
	for _, child := range children {
		if err := removeBelow(tree, child, remove); err != nil {
			return err
		}
	}
	if err := remove(top); err != nil && !groupfs.IsGone(err) {
		return err
	}
	return nil
}
