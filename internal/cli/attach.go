// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/spf13/cobra"
)

func (a *app) attach() *cobra.Command {
	var adopt bool
	cmd := &cobra.Command{
		Use:   "attach GROUP PID...",
		Short: "Move processes into a group",
		Long: `Moves processes into a group; / is the root, where they are in none. What they have charged already stays where it was
charged. With --adopt, what they have that nobody pays for is charged to the group.`,
		Args:              takes(2, unlimited),
		ValidArgsFunction: a.groupNames,
		RunE:              func(_ *cobra.Command, args []string) error { return a.attachAll(args[0], args[1:], adopt) },
	}
	cmd.Flags().BoolVar(&adopt, "adopt", false, "charge what they have mapped and nobody pays for (memward.adopt)")
	return cmd
}

// attachAll goes on after one that cannot be moved: the others may.
func (a *app) attachAll(name string, words []string, adopt bool) error {
	pids := make([]int, 0, len(words))
	for _, word := range words {
		pid, err := strconv.Atoi(word)
		if err != nil || pid <= 0 {
			return usageError{fmt.Errorf("%s is no pid", word)}
		}
		pids = append(pids, pid)
	}
	g, err := a.group(name)
	if err != nil {
		return err
	}
	var failed error
	for _, pid := range pids {
		err := g.Attach(pid)
		if err == nil && adopt {
			err = g.Adopt(pid)
		}
		failed = errors.Join(failed, err)
	}
	return failed
}
