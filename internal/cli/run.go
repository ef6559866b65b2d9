// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"memward/internal/groupfs"
	"memward/internal/text"
)

type runOptions struct {
	settings []string
	name     string
	report   string
	quiet    bool
	keep     bool
}

// What env(1) and nohup(1) say of a program: there is none of that name; it cannot be run; they have failed themselves.
const (
	statusNotFound  = 127
	statusCannotRun = 126
	statusRunFailed = 125
)

func (a *app) run() *cobra.Command {
	var options runOptions
	cmd := &cobra.Command{
		Use:   "run [-p FILE=VALUE]... [--] CMD [ARG]...",
		Short: "Run a program in a group of its own",
		Long: `Makes a group with these settings, runs a program in it, and removes the group when the program has ended. What it has used, and for
how long it was held back, is written to standard error.

    memward run -p memory.high=100M -p memory.max=200M -- make -j8

The exit status is the program's, or 128 and the signal that ended it; 127 if there is no such program, 126 if it cannot be run, 125 if
memward has failed, 2 if it was called wrongly. If processes are left when the program ends, so is the group.

The program has memward's terminal, files and process group. What is typed reaches it directly; a signal that is sent to memward is sent
on to it, but for SIGINT and SIGQUIT while it is in the foreground of a terminal, which are taken for typed ones. What is sent to the
whole process group or unit reaches it twice; in a unit of systemd KillMode=mixed avoids that. SIGHUP and SIGINT stay ignored if they were;
all others do what they do by default, SIGPIPE too, which systemd has ignored.`,
		Args: takes(1, unlimited),
		RunE: func(_ *cobra.Command, args []string) error { return a.doRun(options, args) },
	}
	cmd.Flags().SetInterspersed(false)
	cmd.Flags().StringArrayVarP(&options.settings, "property", "p", nil, "a setting, `FILE=VALUE`, of the group (repeat)")
	cmd.Flags().StringVar(&options.name, "group", "", "`NAME` of the group (run-PID); it must not be there")
	cmd.Flags().StringVar(&options.report, "report", "", "write the summary to `FILE` too, as JSON")
	cmd.Flags().BoolVarP(&options.quiet, "quiet", "q", false, "no summary at the end")
	cmd.Flags().BoolVar(&options.keep, "keep", false, "leave the group when the program has ended")
	return cmd
}

func (a *app) doRun(options runOptions, argv []string) error {
	settings, err := parseSettings(options.settings)
	if err != nil {
		return err
	}
	path, status := lookPath(argv[0])
	if path == "" {
		return a.fails(status, fmt.Errorf("%s: %s", groupfs.Quote(argv[0]), choose(status == statusNotFound, "there is no such program", "it cannot be run")))
	}
	// from here on a signal must not leave a group behind
	signals := catchSignals()
	g, err := a.makeRunGroup(options.name, settings)
	if err != nil {
		return a.fails(statusRunFailed, err)
	}
	begin := time.Now()
	end, err := runIn(g, path, argv, signals)
	took := time.Since(begin)
	if err != nil {
		status := statusRunFailed
		if errors.Is(err, errCannotRun) {
			status = statusCannotRun
		}
		return a.fails(status, errors.Join(err, removeAfter(g, signals)))
	}
	a.sumUp(g, options, end, took, signals)
	dieAs(end)
	if status := statusOf(end); status != 0 {
		return exitError(status)
	}
	return nil
}

// fails explains an error, and has an exit status of its own for it.
func (a *app) fails(status int, err error) error {
	a.complain(err)
	return exitError(status)
}

func lookPath(name string) (path string, status int) {
	path, err := exec.LookPath(name)
	switch {
	case err == nil, errors.Is(err, exec.ErrDot):
		return path, 0
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, os.ErrNotExist):
		return "", statusNotFound
	}
	return "", statusCannotRun
}

func (a *app) makeRunGroup(name string, settings []groupfs.Setting) (groupfs.Group, error) {
	tree, err := a.tree()
	if err != nil {
		return groupfs.Group{}, err
	}
	if tree.Mirror != "" {
		return groupfs.Group{}, &groupfs.MirrorError{What: "make a group by hand"}
	}
	if name != "" {
		return createWith(tree, name, settings)
	}
	name = fmt.Sprintf("run-%d", os.Getpid())
	g, err := createWith(tree, name, settings)
	// one that was left may have had the same pid
	for i := 2; errors.Is(err, groupfs.ErrExist); i++ {
		g, err = createWith(tree, fmt.Sprintf("%s-%d", name, i), settings)
	}
	return g, err
}

func statusOf(end unix.WaitStatus) int {
	if end.Signaled() {
		return 128 + int(end.Signal())
	}
	return end.ExitStatus()
}

// report is what is said of a program at its end.
type report struct {
	Group  string  `json:"group"`
	Status int     `json:"status"`
	Time   float64 `json:"seconds"`
	Left   []int   `json:"left"`
	groupfs.Summary
}

// sumUp says what was used, and removes the group.
func (a *app) sumUp(g groupfs.Group, options runOptions, end unix.WaitStatus, took time.Duration, signals <-chan os.Signal) {
	summary, err := g.Summary()
	r := report{Group: g.Name(), Status: statusOf(end), Time: took.Seconds(), Left: []int{}, Summary: summary}
	var stays error
	if !options.keep {
		stays = removeAfter(g, signals)
	}
	var busy *groupfs.BusyError
	if errors.As(stays, &busy) {
		r.Left = append(r.Left, busy.Pids...)
	}
	switch {
	case err != nil:
		a.complain(err)
	case options.quiet:
	case a.json:
		// what the program writes is on the other
		b := *a
		b.out = &output{to: a.err}
		_ = b.printJSON(r)
	default:
		a.printReport(r, end, took)
	}
	if options.report != "" && err == nil {
		a.writeReport(options.report, r)
	}
	if stays != nil {
		a.complain(fmt.Errorf("%s stays: %w", groupfs.Quote(g.Name()), stays))
	}
}

func (a *app) writeReport(file string, r report) {
	text, err := json.Marshal(r)
	if err == nil {
		err = os.WriteFile(file, append(text, '\n'), 0o644)
	}
	if err != nil {
		a.complain(fmt.Errorf("the report: %w", err))
	}
}

func (a *app) printReport(r report, end unix.WaitStatus, took time.Duration) {
	parts := []string{fmt.Sprintf("peak %s", text.Size(r.Peak))}
	if r.SwapPeak > 0 {
		parts = append(parts, "swap peak "+text.Size(r.SwapPeak))
	}
	if r.Stall > 0 {
		parts = append(parts, "held back for "+text.Duration(time.Duration(r.Stall)*time.Microsecond))
	}
	if !r.Events.IsZero() {
		parts = append(parts, "events: "+text.Counts(r.Events, false))
	}
	fmt.Fprintf(a.err, "memward: %s: %s after %s; %s\n", groupfs.Quote(r.Group), describeEnd(end), text.Duration(took), strings.Join(parts, "; "))
}

func describeEnd(end unix.WaitStatus) string {
	if end.Signaled() {
		return "ended by " + unix.SignalName(end.Signal())
	}
	return fmt.Sprintf("exit status %d", end.ExitStatus())
}

// Whoever has been killed may take a while to give its memory back.  For an instant before it does nothing tells
// that it will: so nobody is taken for one who stays before that is over.
const (
	endingPatience = 10 * time.Second
	endingInstant  = 200 * time.Millisecond
	endingLook     = 5 * time.Millisecond
)

// removeAfter removes the group of a program that has ended, or says why it stays.  Who is about to end is waited for,
// as long as no signal comes.
func removeAfter(g groupfs.Group, signals <-chan os.Signal) error {
	for begin, goOn := time.Now(), true; ; goOn = sleepUnless(signals) {
		err := g.Remove()
		var busy *groupfs.BusyError
		switch waited := time.Since(begin); {
		case groupfs.IsGone(err):
			return nil
		case !errors.As(err, &busy), !goOn, len(busy.Below) > 0, waited > endingPatience, waited > endingInstant && !allEnding(busy.Pids):
			return err
		}
	}
}

// sleepUnless waits for a moment, and returns whether nobody wants that to end.
func sleepUnless(signals <-chan os.Signal) bool {
	select {
	case s := <-signals:
		return !wantsEnd(s)
	case <-time.After(endingLook):
		return true
	}
}

// allEnding says whether all of these have nothing left but to end.
func allEnding(pids []int) bool {
	for _, pid := range pids {
		if !isEnding(pid) {
			return false
		}
	}
	return true
}
