// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"errors"

	"github.com/spf13/cobra"

	"memward/internal/groupfs"
)

func (a *app) create() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "create GROUP [FILE=VALUE]...",
		Short: "Make a group",
		Long: `Makes a group, with these settings. If one of them is refused there is no group.

    memward create db memory.high=500M memory.max=1G`,
		Args: takes(1, unlimited),
		RunE: func(_ *cobra.Command, args []string) error {
			tree, err := a.tree()
			if err != nil {
				return err
			}
			settings, err := parseSettings(args[1:])
			if err != nil {
				return err
			}
			_, err = createWith(tree, args[0], settings)
			return err
		},
	}
	return cmd
}

// createWith makes a group with settings, or none.
func createWith(tree *groupfs.Tree, name string, settings []groupfs.Setting) (groupfs.Group, error) {
	g, err := tree.Create(name)
	if err != nil {
		return g, err
	}
	if err := g.Set(settings); err != nil {
		return g, errors.Join(err, g.Remove())
	}
	return g, nil
}

func parseSettings(words []string) ([]groupfs.Setting, error) {
	settings, err := groupfs.ParseSettings(words)
	if err != nil {
		return nil, usageError{err}
	}
	return settings, nil
}

func (a *app) set() *cobra.Command {
	return &cobra.Command{
		Use:   "set GROUP FILE=VALUE...",
		Short: "Set limits and the like",
		Long: `Writes values to files of a group: all of them or, if one is refused, none.

    memward set db memory.high=500M memory.max=max

memward-files(5) says what each file takes.`,
		Args:              takes(2, unlimited),
		ValidArgsFunction: a.groupNames,
		RunE: func(_ *cobra.Command, args []string) error {
			settings, err := parseSettings(args[1:])
			if err != nil {
				return err
			}
			g, err := a.group(args[0])
			if err != nil {
				return err
			}
			return g.Set(settings)
		},
	}
}
