// SPDX-License-Identifier: GPL-2.0

// Package cli is what a person types: one file for each command.
package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"memward/internal/groupfs"
	"memward/internal/kmod"
)

// app is what all commands share.
type app struct {
	in  *os.File
	out *output
	err io.Writer
	// mayLose says that what cannot be written is no reason to fail.
	mayLose bool
	// dir is where the tree is to be mounted; "" for wherever it is.
	dir  string
	json bool
}

const (
	statusFailed = 1
	statusUsage  = 2
)

// Main runs a command and returns its exit status: 0; 1 if it has failed, 2 if it was called wrongly; that of
// memward run is the program's.
func Main(args []string, in *os.File, out, err io.Writer) int {
	if len(args) > 0 && args[0] == joinWord {
		return join(args[1:])
	}
	a := &app{in: in, out: &output{to: out}, err: err}
	root := a.command()
	root.SetArgs(args)
	root.SetIn(in)
	root.SetOut(a.out)
	root.SetErr(err)
	return a.status(root.Execute())
}

// exitError is an exit status that was explained already, or needs no word.
type exitError int

func (e exitError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// usageError is a mistake of whoever has typed.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// status explains what went wrong, and what could not be said.
func (a *app) status(err error) int {
	var lost *lostError
	if errors.As(err, &lost) {
		err = nil
	}
	status := a.statusOf(err)
	switch lost = a.out.lost; {
	case lost == nil, a.mayLose:
	case !lost.isUnread():
		a.complain(lost)
		return max(status, statusFailed)
	case status == 0:
		return statusUnread
	}
	return status
}

func (a *app) statusOf(err error) int {
	var exit exitError
	var usage usageError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return int(exit)
	case errors.As(err, &usage):
		a.complain(err)
		return statusUsage
	}
	a.complain(err)
	return statusFailed
}

// complain says what is wrong, and what to do now.
func (a *app) complain(err error) {
	fmt.Fprintf(a.err, "memward: %v\n", err)
	if next := nextStep(err); next != "" {
		fmt.Fprintf(a.err, "  %s\n", next)
	}
}

// Command is all that may be typed, for who describes it.
func Command() *cobra.Command { return (&app{}).command() }

func (a *app) command() *cobra.Command {
	root := &cobra.Command{
		Use:   "memward",
		Short: "Limit, slow down, protect and reclaim the memory of groups of processes",
		Long: `memward drives the kernel module memward: a memory controller for the kernel that is running.

A group is a directory below the place where memward is mounted, with cgroup v2's files. A command takes its name, as
db or system.slice/ssh.service; / is the root, where all are who are in no group.`,
		Version:       nonEmpty(kmod.Version, "unknown"),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          a.noSuchCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.PersistentFlags().StringVar(&a.dir, "mount", "", "`DIR` where memward is mounted, if there are several")
	root.PersistentFlags().BoolVar(&a.json, "json", false, "print JSON: sizes in bytes, null for no limit")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return usageError{err} })
	root.AddGroup(&cobra.Group{ID: groupsID, Title: "Groups:"}, &cobra.Group{ID: moduleID, Title: "The module:"})
	for _, sub := range []*cobra.Command{a.run(), a.ls(), a.top(), a.show(), a.set(), a.create(), a.remove(), a.attach(), a.bind(), a.reclaim(), a.apply()} {
		sub.GroupID = groupsID
		root.AddCommand(sub)
	}
	for _, sub := range []*cobra.Command{a.statusCommand(), a.mount(), a.unload()} {
		sub.GroupID = moduleID
		root.AddCommand(sub)
	}
	return root
}

const (
	groupsID = "groups"
	moduleID = "module"
)

func (a *app) noSuchCommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usageError{fmt.Errorf("there is no command %s", groupfs.Quote(args[0]))}
	}
	return nil
}

// takes checks the number of words: at least, and, if that is not less, at most.
func takes(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || most >= least && len(args) > most {
			return usageError{fmt.Errorf("usage: %s", cmd.UseLine())}
		}
		return nil
	}
}

const unlimited = -1

func (a *app) tree() (*groupfs.Tree, error) { return groupfs.Find(a.dir) }

// group is the group of that name, of the tree.
func (a *app) group(name string) (groupfs.Group, error) {
	tree, err := a.tree()
	if err != nil {
		return groupfs.Group{}, err
	}
	return tree.Group(name)
}

// printJSON prints a value for programs.
func (a *app) printJSON(value any) error {
	encoder := json.NewEncoder(a.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}

// width is how wide the terminal is; 0 if there is none.
func (a *app) width() int {
	file, ok := a.out.to.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// groupNames completes the first word, which is the name of a group.
func (a *app) groupNames(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveDefault
	}
	tree, err := a.tree()
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	top, err := tree.Group("/")
	if err != nil {
		return nil, cobra.ShellCompDirectiveError
	}
	var names []string
	_ = tree.Walk(top, unlimited, func(g groupfs.Group) error {
		names = append(names, g.Name())
		return nil
	})
	return names, cobra.ShellCompDirectiveNoFileComp
}
