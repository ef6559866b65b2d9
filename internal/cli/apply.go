// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"memward/internal/apply"
	"memward/internal/conf"
	"memward/internal/groupfs"
)

type applyOptions struct{ check, diff, load, watch, keepGoing bool }

func (a *app) apply() *cobra.Command {
	var options applyOptions
	cmd := &cobra.Command{
		Use:   "apply [FILE|DIR]...",
		Short: "Make groups and limits what the configuration says",
		Long: `Reads all files *.toml of ` + conf.Dir + `, or those that are named, and makes groups, limits and bindings what they say. What is so already
is not touched. What apply has made for a file that says it no longer is taken back. Of each file everything is applied or nothing; a file with a
mistake changes nothing, and the others are applied; the exit status is 1 then.

    [group.db]
    memory.high = "500M"
    bind = ["redis-server.service"]

or, on a mirror (memward mount --mirror), for the units whose name is so, when they come:

    [unit."postgresql@*.service"]
    memory.max = "2G"

memward.service does this at boot, and systemctl reload memward when the files have changed. See memward.conf(5).`,
		RunE: func(_ *cobra.Command, args []string) error {
			if options.check && (options.diff || options.load || options.watch) || options.diff && (options.load || options.watch) {
				return usageError{errors.New("--check and --diff change nothing, and stand alone")}
			}
			if a.json && options.watch {
				return usageError{errors.New("--watch says what it does line by line, and not as JSON")}
			}
			if len(args) == 0 {
				args = []string{conf.Dir}
			}
			return a.doApply(args, options)
		},
	}
	cmd.Flags().BoolVar(&options.check, "check", false, "only say what is wrong with the files; memward need not be mounted")
	cmd.Flags().BoolVar(&options.diff, "diff", false, "only say what would be changed")
	cmd.Flags().BoolVar(&options.load, "load", false, "load the module and mount it first, as [mount] says, if it is not mounted")
	cmd.Flags().BoolVar(&options.watch, "watch", false, "on a mirror, stay and apply the rules to units as they come; SIGHUP reads the files anew")
	cmd.Flags().BoolVar(&options.keepGoing, "keep-going", false, "have the exit status be 0 if memward is mounted, also if some files have mistakes, or not all can be said or remembered")
	return cmd
}

func (a *app) doApply(paths []string, options applyOptions) error {
	outliveReaders()
	a.mayLose = options.keepGoing || options.watch
	if options.check || options.load {
		c, err := conf.Load(paths, nil)
		switch {
		case err != nil:
			return err
		case options.check:
			return a.checkConf(c)
		case !options.watch:
			defer holdSignals()()
		}
		if err := a.loadFor(c); err != nil {
			return err
		}
	}
	tree, err := a.tree()
	if err != nil {
		return err
	}
	if options.watch {
		return a.watchAndApply(tree, paths)
	}
	defer holdSignals()()
	failed, err := a.applyAll(tree, paths, options.diff)
	if err == nil && failed > 0 && !options.keepGoing {
		err = exitError(statusFailed)
	}
	return err
}

// holdSignals has what is typed, and systemd's stop, wait until all that was begun is done, and remembered.
func holdSignals() (release func()) {
	held := make(chan os.Signal, 1)
	signal.Notify(held, unix.SIGINT, unix.SIGTERM, unix.SIGHUP)
	return func() { signal.Stop(held) }
}

// loadFor mounts memward as a configuration says.  Where what can be read of it does not say how, and some cannot be read, that is not
// guessed: a tree of the wrong sort would have to go again.
func (a *app) loadFor(c *conf.Conf) error {
	mount := c.Mount()
	tree, err := groupfs.Find(a.dir)
	if err == nil && tree.Mirror == mount.Mirror {
		return nil
	}
	if len(c.Errors) > 0 && !c.SaysSort() && errors.Is(err, groupfs.ErrNotMounted) {
		for _, wrong := range c.Errors {
			a.complain(wrong)
		}
		return groupfs.Advise("mend the files, or memward mount", "nothing is mounted: as a mirror or not is for these files to say")
	}
	quiet := *a
	if quiet.json {
		quiet.out, quiet.json = &output{to: io.Discard}, false
	}
	return quiet.doMount(a.dir, mountOptions{mount.Mirror, mount.Untested})
}

// checkConf says what is wrong with files.
func (a *app) checkConf(c *conf.Conf) error {
	wrong := mistakesIn(c)
	for _, err := range wrong {
		a.complain(err)
	}
	if a.json {
		if err := a.printJSON(mistakesOf(wrong)); err != nil {
			return err
		}
	}
	if len(wrong) > 0 {
		return exitError(statusFailed)
	}
	if !a.json {
		fmt.Fprintf(a.out, "no mistake in %s\n", counted(len(c.Files), "file"))
	}
	return nil
}

// mistakesIn are what is wrong with files, as far as that can be known without memward.
func mistakesIn(c *conf.Conf) []*conf.Error {
	wrong := slices.Clone(c.Errors)
	for i := range c.Files {
		if err := apply.Check(&c.Files[i]); err != nil {
			wrong = append(wrong, err)
		}
	}
	return wrong
}

type mistake struct {
	File string `json:"file"`
	Line int    `json:"line"`
	Text string `json:"text"`
}

func mistakesOf(wrong []*conf.Error) []mistake {
	mistakes := []mistake{}
	for _, err := range wrong {
		mistakes = append(mistakes, mistake{err.Path, err.Line, err.Err.Error()})
	}
	return mistakes
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// applyAll applies it, and says what that changes.
func (a *app) applyAll(tree *groupfs.Tree, paths []string, dry bool) (failed int, err error) {
	changes := []apply.Change{}
	applier := a.applier(tree)
	applier.DryRun = dry
	say := applier.Did
	applier.Did = func(change apply.Change) {
		changes = append(changes, change)
		if !a.json {
			say(change)
		}
	}
	failed, err = applier.All(paths)
	switch {
	case err != nil:
	case a.json:
		err = a.printJSON(changes)
	case len(changes) == 0 && failed == 0:
		fmt.Fprintln(a.out, "nothing to change: all is as the configuration says")
	}
	return failed, err
}

// applier applies a configuration, and says what it does.
func (a *app) applier(tree *groupfs.Tree) *apply.Applier {
	applier := apply.New(tree)
	applier.Failed, applier.Remark = a.complain, a.complain
	applier.Did = func(change apply.Change) { fmt.Fprintln(a.out, change) }
	return applier
}
