// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"memward/internal/apply"
	"memward/internal/groupfs"
	"memward/internal/kmod"
)

func (a *app) unload() *cobra.Command {
	var removeGroups bool
	patience := 10 * time.Second
	cmd := &cobra.Command{
		Use:   "unload",
		Short: "Unmount memward and take the module out of the kernel",
		Long: `Unmounts memward wherever it is mounted and takes the module out of the kernel.

Groups keep the module in the kernel. With --remove-groups they are removed first, and their processes, which go on, are in no
group any more. The groups of a mirror go by themselves.`,
		Args: takes(0, 0),
		RunE: func(*cobra.Command, []string) error { return a.doUnload(removeGroups, patience) },
	}
	cmd.Flags().BoolVar(&removeGroups, "remove-groups", false, "remove all groups first; their processes go on in none")
	cmd.Flags().DurationVar(&patience, "wait", patience, "`TIME` to wait for whoever is in the module for a moment")
	return cmd
}

func (a *app) doUnload(removeGroups bool, patience time.Duration) error {
	if !kmod.IsLoaded() {
		return a.sayUnloaded("memward is not loaded")
	}
	// who applies a configuration has files open; who may not know of it may not unload either
	if unlock, err := apply.Lock(); err == nil {
		defer unlock()
	}
	if err := a.checkGroups(removeGroups, patience); err != nil {
		return err
	}
	if err := kmod.UnmountAll(); err != nil {
		return err
	}
	if err := kmod.Unload(patience); err != nil {
		return err
	}
	if err := apply.Forget(); err != nil {
		return fmt.Errorf("memward is unloaded, but what was applied is not forgotten: %w", err)
	}
	return a.sayUnloaded("memward is unloaded")
}

func (a *app) sayUnloaded(text string) error {
	if a.json {
		return a.printJSON(map[string]bool{"loaded": false})
	}
	_, err := fmt.Fprintln(a.out, text)
	return err
}

// checkGroups has no group left where that is wanted, and says which there are where it is not.
func (a *app) checkGroups(remove bool, patience time.Duration) error {
	tree, err := groupfs.Find("")
	if errors.Is(err, groupfs.ErrNotMounted) {
		return a.checkUnmounted(remove, patience)
	}
	if err != nil || tree.Mirror != "" {
		return err
	}
	root, err := tree.Group("/")
	if err != nil {
		return err
	}
	groups, err := root.Children()
	if err != nil || len(groups) == 0 {
		return err
	}
	if remove {
		err = kmod.CheckUnmount()
	} else {
		err = groupfs.Advise("memward unload --remove-groups removes them; their processes go on in none",
			"there are groups, %s first", groupfs.Quote(groups[0].Name()))
	}
	if err != nil {
		return err
	}
	for _, g := range groups {
		if err := dissolve(tree, root, g, time.Now().Add(patience)); err != nil {
			return err
		}
	}
	return nil
}

// checkUnmounted is for a tree that nobody sees: groups that were left keep the module.  Only a mount shows them.
func (a *app) checkUnmounted(remove bool, patience time.Duration) error {
	err := kmod.Unload(patience)
	var inUse *kmod.InUseError
	if err == nil || !errors.As(err, &inUse) || !remove {
		return err
	}
	err = kmod.Mount(groupfs.DefaultMount, nil)
	if errors.Is(err, unix.EOPNOTSUPP) {
		// whoever had it mounted has tried it on this kernel
		err = kmod.Mount(groupfs.DefaultMount, []string{"untested"})
	}
	if err != nil {
		return err
	}
	return a.checkGroups(remove, patience)
}

// dissolve has the processes of a subtree in no group, and removes it.
func dissolve(tree *groupfs.Tree, root, top groupfs.Group, end time.Time) error {
	return removeBelow(tree, top, func(g groupfs.Group) error {
		for ; ; time.Sleep(10 * time.Millisecond) {
			err := empty(g, root)
			if err == nil {
				err = g.Remove()
			}
			var busy *groupfs.BusyError
			// somebody may be born there meanwhile
			if !errors.As(err, &busy) || time.Now().After(end) {
				return err
			}
		}
	})
}

func empty(g, to groupfs.Group) error {
	cgroups, err := g.Bindings()
	if err != nil {
		return err
	}
	for _, cgroup := range cgroups {
		if err := g.Unbind(cgroup); err != nil {
			return err
		}
	}
	pids, err := g.Processes()
	if err != nil {
		return err
	}
	for _, pid := range pids {
		if err := to.Attach(pid); err != nil && !errors.Is(err, groupfs.ErrNoProcess) {
			return err
		}
	}
	return nil
}
