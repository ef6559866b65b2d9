// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"memward/internal/groupfs"
	"memward/internal/text"
)

func (a *app) reclaim() *cobra.Command {
	var swappiness string
	cmd := &cobra.Command{
		Use:   "reclaim GROUP SIZE|max",
		Short: "Ask a group for memory back",
		Long: `Reclaims so much of a group and those below it, or all that can be, and says how much it was. The exit status is 1 if it was less
than what was asked for.

    memward reclaim db 200M
    memward reclaim --swappiness=0 db 200M     # of files alone`,
		Args:              takes(2, 2),
		ValidArgsFunction: a.groupNames,
		RunE:              func(_ *cobra.Command, args []string) error { return a.doReclaim(args[0], args[1], swappiness) },
	}
	cmd.Flags().StringVar(&swappiness, "swappiness", "", "`N` from 0 (files alone) to 200 (what can be swapped first), this time")
	return cmd
}

func (a *app) doReclaim(name, size, swappiness string) error {
	var asked int64
	if size != "max" {
		var err error
		if asked, err = groupfs.ParseSize(size); err != nil {
			return usageError{err}
		}
	}
	g, err := a.group(name)
	if err != nil {
		return err
	}
	got, err := g.Reclaim(size, swappiness)
	if err != nil {
		return err
	}
	if err := a.sayReclaimed(asked, got, size == "max"); err != nil {
		return err
	}
	// the kernel takes whole pages
	if got < asked&^int64(os.Getpagesize()-1) {
		return exitError(statusFailed)
	}
	return nil
}

func (a *app) sayReclaimed(asked, got int64, all bool) error {
	var err error
	switch {
	case a.json:
		return a.printJSON(map[string]int64{"reclaimed": got})
	case all || got >= asked:
		_, err = fmt.Fprintf(a.out, "reclaimed %s\n", text.Size(got))
	default:
		_, err = fmt.Fprintf(a.out, "reclaimed %s of %s: there was no more\n", text.Size(got), text.Size(asked))
	}
	return err
}
