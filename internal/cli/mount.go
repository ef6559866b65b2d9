// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"memward/internal/groupfs"
	"memward/internal/kmod"
)

type mountOptions struct {
	mirror   string
	untested bool
}

func (a *app) mount() *cobra.Command {
	var options mountOptions
	cmd := &cobra.Command{
		Use:   "mount [DIR]",
		Short: "Load the module and mount the tree of groups",
		Long: `Loads the module, if it is not, and mounts the tree of groups on DIR (` + groupfs.DefaultMount + `).

With --mirror the tree is that of the kernel's own cgroups: every unit of systemd, session and container has a group at the
path that it has already. With --mirror=PATH only those below PATH have one.`,
		Args: takes(0, 1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if cmd.Flags().Changed("mirror") && options.mirror == "" {
				return usageError{errors.New("--mirror= of what?")}
			}
			return a.doMount(strings.Join(args, ""), options)
		},
	}
	cmd.Flags().StringVar(&options.mirror, "mirror", "", "have a group for each of the kernel's own cgroups, or those below `PATH`")
	cmd.Flags().Lookup("mirror").NoOptDefVal = "/"
	cmd.Flags().BoolVar(&options.untested, "untested", false, "try it on a kernel that memward was not tested on, which may crash")
	return cmd
}

func (o mountOptions) words() []string {
	var words []string
	switch path := o.path(); path {
	case "":
	case "/":
		words = append(words, "mirror")
	default:
		words = append(words, "mirror="+path)
	}
	if o.untested {
		words = append(words, "untested")
	}
	return words
}

func (a *app) doMount(dir string, options mountOptions) error {
	if strings.Contains(options.mirror, ",") {
		return usageError{fmt.Errorf("%s has a comma, which mount takes for another option", groupfs.Quote(options.mirror))}
	}
	tree, err := groupfs.Find("")
	switch {
	case err == nil:
		return a.mountAgain(tree, dir, options)
	case !errors.Is(err, groupfs.ErrNotMounted):
		return err
	}
	if dir == "" {
		dir = groupfs.DefaultMount
	}
	if err := kmod.Load(); err != nil {
		return err
	}
	return a.mountAt(dir, options)
}

func (a *app) mountAt(dir string, options mountOptions) error {
	dir, err := placeOf(dir)
	if err != nil {
		return err
	}
	if err := kmod.Mount(dir, options.words()); err != nil {
		return err
	}
	tree, err := groupfs.Find(dir)
	if err != nil {
		return err
	}
	return a.sayMounted(tree, "is mounted at")
}

// placeOf is a directory by the name that it has in the list of mounts.
func placeOf(dir string) (string, error) {
	place, err := filepath.Abs(dir)
	if err == nil {
		place, err = filepath.EvalSymlinks(place)
	}
	if errors.Is(err, fs.ErrNotExist) {
		return "", groupfs.Advise("mkdir it first; a part of the kernel's cgroups is --mirror=PATH, with an equals sign",
			"there is no directory %s", groupfs.Quote(dir))
	}
	return place, err
}

// mountAgain is for who mounts what is mounted: nothing, if it is what he wants where he wants it.
func (a *app) mountAgain(tree *groupfs.Tree, dir string, options mountOptions) error {
	if tree.Mirror != options.path() {
		return groupfs.Advise("memward unload takes that away", "memward is mounted already, %s, at %s", kindOf(tree), groupfs.Quote(tree.Root))
	}
	if dir == "" {
		return a.sayMounted(tree, "is mounted already at")
	}
	place, err := placeOf(dir)
	if err != nil {
		return err
	}
	if there, err := groupfs.Find(place); err == nil {
		return a.sayMounted(there, "is mounted already at")
	}
	return a.mountAt(place, options)
}

// path is the part of the kernel's cgroups that is to be mirrored, in its shortest form.
func (o mountOptions) path() string {
	if !strings.HasPrefix(o.mirror, "/") {
		return o.mirror
	}
	return filepath.Clean(o.mirror)
}

func kindOf(tree *groupfs.Tree) string {
	switch tree.Mirror {
	case "":
		return "as a tree of one's own"
	case "/":
		return "as a mirror of the kernel's cgroups"
	}
	return "as a mirror of " + groupfs.Quote(tree.Mirror)
}

func (a *app) sayMounted(tree *groupfs.Tree, how string) error {
	if a.json {
		return a.printJSON(mountOf(tree))
	}
	_, err := fmt.Fprintf(a.out, "memward %s %s, %s\n", how, tree.Root, kindOf(tree))
	return err
}
