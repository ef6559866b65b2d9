// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"memward/internal/top"
)

type topOptions struct {
	delay time.Duration
	order string
	count int
	batch bool
}

func (a *app) top() *cobra.Command {
	options := topOptions{delay: 2 * time.Second, order: "current"}
	cmd := &cobra.Command{
		Use:   "top",
		Short: "Watch which groups use how much",
		Long: `Shows all groups again and again: what they use, how much that is of the lower of memory.high and memory.max, how fast it grows, their
swap, how often a second somebody is slowed down above memory.high, and how many were killed for memory.

Keys: q ends it, s and S change what is sorted by, r turns the order round, space stops it for a while, arrows, page up and page
down move. Where there is no terminal, or with --batch, a table is printed each time.`,
		Args: takes(0, 0),
		RunE: func(*cobra.Command, []string) error { return a.doTop(options) },
	}
	cmd.Flags().DurationVarP(&options.delay, "delay", "d", options.delay, "`TIME` between two looks")
	cmd.Flags().StringVarP(&options.order, "sort", "s", options.order, "what comes first: the largest `ORDER`, of current, swap, growth, high, limit; or name")
	cmd.Flags().IntVarP(&options.count, "count", "n", 0, "end after `N` looks")
	cmd.Flags().BoolVarP(&options.batch, "batch", "b", false, "print, as where there is no terminal")
	return cmd
}

func (a *app) doTop(options topOptions) error {
	if err := top.CheckOrder(options.order); err != nil {
		return usageError{err}
	}
	if options.delay < 100*time.Millisecond {
		return usageError{fmt.Errorf("a delay of %v is too short: 100ms at least", options.delay)}
	}
	tree, err := a.tree()
	if err != nil {
		return err
	}
	sampler := top.NewSampler(tree)
	defer sampler.Close()
	out, isFile := a.out.to.(*os.File)
	if options.batch || options.count > 0 || a.json || !isFile || !term.IsTerminal(int(out.Fd())) || !term.IsTerminal(int(a.in.Fd())) {
		return a.printTop(sampler, options)
	}
	err = top.Run(sampler, options.delay, options.order)
	var none *top.NoScreenError
	if errors.As(err, &none) {
		return a.printTop(sampler, options)
	}
	return err
}

func (a *app) printTop(sampler *top.Sampler, options topOptions) error {
	for i := 1; ; i++ {
		rows, err := sampler.Look()
		if err != nil {
			return err
		}
		top.Sort(rows, options.order, false)
		if a.json {
			err = a.printJSON(append([]top.Row{}, rows...))
		} else {
			_, err = fmt.Fprintln(a.out, top.Table(rows, a.width()))
		}
		if err != nil || i == options.count {
			return err
		}
		time.Sleep(options.delay)
	}
}
