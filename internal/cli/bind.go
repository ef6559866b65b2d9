// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"memward/internal/cgroup"
	"memward/internal/groupfs"
)

func (a *app) bind() *cobra.Command {
	var remove bool
	cmd := &cobra.Command{
		Use:   "bind GROUP [UNIT|CGROUP|CONTAINER]...",
		Short: "Have a unit's or a container's processes in a group",
		Long: `Has all processes of a unit of systemd, of a container or of one of the kernel's own cgroups in a group: those it has, and those it
will have, also after a restart. Without one it lists what is bound.

    memward bind db redis-server.service
    memward bind db postgresql@17-main.service      # on Debian postgresql.service has no processes of its own
    memward bind web /system.slice/nginx.service
    memward bind web pids:/web                      # of cgroup v1, as a line of /proc/PID/cgroup has it

A unit need not run yet. A container must; one that is started anew has another cgroup. For the name of one podman and docker are asked, and have ten
seconds to answer; for its id, a path or a unit they are not.`,
		Args:              takes(1, unlimited),
		ValidArgsFunction: a.groupNames,
		RunE: func(_ *cobra.Command, args []string) error {
			g, err := a.group(args[0])
			if err != nil {
				return err
			}
			if len(args) == 1 && remove {
				return usageError{errors.New("what is to be bound no longer?")}
			}
			if len(args) == 1 {
				return a.listBindings(g)
			}
			return a.bindAll(g, args[1:], remove)
		},
	}
	cmd.Flags().BoolVar(&remove, "remove", false, "bind it no longer")
	return cmd
}

func (a *app) bindAll(g groupfs.Group, words []string, remove bool) error {
	for _, word := range words {
		path, err := cgroup.Find(word)
		if err != nil {
			return err
		}
		how, done := g.Bind, "is bound to"
		if remove {
			how, done = g.Unbind, "is bound no longer to"
		}
		if err := how(path); err != nil {
			return err
		}
		if !a.json {
			fmt.Fprintf(a.out, "%s %s %s%s\n", groupfs.Quote(path), done, groupfs.Quote(g.Name()), remarkOn(path, remove))
		}
	}
	if a.json {
		return a.listBindings(g)
	}
	return nil
}

// remarkOn says of what was bound that it is not there, which may be meant, or a mistake of who has typed it.
func remarkOn(path string, removed bool) string {
	if removed || !strings.HasPrefix(path, "/") || cgroup.Exists(path) {
		return ""
	}
	return "; there is no such cgroup yet"
}

func (a *app) listBindings(g groupfs.Group) error {
	paths, err := g.Bindings()
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(append([]string{}, paths...))
	}
	for _, path := range paths {
		fmt.Fprintln(a.out, groupfs.Quote(path))
	}
	return nil
}
