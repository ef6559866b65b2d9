// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"errors"
	"fmt"
	"os"
	"os/signal"

	"github.com/coreos/go-systemd/v22/daemon"
	"golang.org/x/sys/unix"

	"memward/internal/groupfs"
)

// watchAndApply applies the configuration and, on a mirror, stays for the units that come later.
//
// What a unit's processes charge counts from their first instruction on: all that comes a moment later are the limits.
func (a *app) watchAndApply(tree *groupfs.Tree, paths []string) error {
	hangup, stop := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(hangup, unix.SIGHUP)
	signal.Notify(stop, unix.SIGTERM, unix.SIGINT)
	defer signal.Stop(hangup)
	defer signal.Stop(stop)
	var come <-chan newcomer
	if tree.Mirror != "" {
		newcomers, err := tree.Newcomers()
		if err != nil {
			return err
		}
		defer newcomers.Close()
		come = follow(newcomers)
	}
	if err := a.applyNow(tree, paths); err != nil {
		return err
	}
	_, _ = daemon.SdNotify(false, daemon.SdNotifyReady)
	if come == nil {
		return nil
	}
	later := a.applier(tree)
	for {
		var err error
		select {
		case <-stop:
			return nil
		case <-hangup:
			_, _ = daemon.SdNotify(false, daemon.SdNotifyReloading)
			err = a.applyNow(tree, paths)
			_, _ = daemon.SdNotify(false, daemon.SdNotifyReady)
		case next := <-come:
			var names []string
			if names, err = allOf(next, come); len(names) > 0 {
				err = errors.Join(later.Newcomers(names), err)
			}
			if errors.Is(err, groupfs.ErrMissed) {
				// what it was not told of, and no more than that
				err = a.applyNow(tree, nil)
			}
		}
		switch {
		case errors.Is(err, groupfs.ErrNotMounted):
			fmt.Fprintln(a.out, "memward is mounted no longer")
			return nil
		case err != nil:
			return err
		}
	}
}

// newcomer is the name of a group that has come, or why there are no more.
type newcomer struct {
	name string
	err  error
}

// allOf has all who have come together with the first, up to the first error: then it is the last that is heard of them.
func allOf(first newcomer, come <-chan newcomer) (names []string, err error) {
	for next := first; ; {
		if next.err != nil {
			return names, next.err
		}
		names = append(names, next.name)
		select {
		case next = <-come:
		default:
			return names, nil
		}
	}
}

// follow passes on who comes, until an error that is not just that some were missed.
func follow(n *groupfs.Newcomers) <-chan newcomer {
	come := make(chan newcomer, 1024)
	go func() {
		for {
			err := n.Next(func(name string) { come <- newcomer{name: name} })
			if err != nil {
				come <- newcomer{err: err}
			}
			if err != nil && !errors.Is(err, groupfs.ErrMissed) {
				return
			}
		}
	}()
	return come
}

// applyNow reads the files and applies them, and says what it cannot.
func (a *app) applyNow(tree *groupfs.Tree, paths []string) error {
	failed, err := a.applyAll(tree, paths, false)
	if err == nil && failed > 0 {
		fmt.Fprintf(a.err, "memward: %s, as said above; all else is applied\n", counted(failed, "failure"))
	}
	return err
}
