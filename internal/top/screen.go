// SPDX-License-Identifier: GPL-2.0

package top

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/mattn/go-runewidth"
	"golang.org/x/sys/unix"

	"memward/internal/text"
)

// screen is what is shown until somebody has seen enough.
type screen struct {
	order   string
	reverse bool
	paused  bool
	rows    []Row
	first   int
	width   int
	height  int
}

// NoScreenError says that a terminal is none where lines can be drawn anywhere.
type NoScreenError struct{ Err error }

func (e *NoScreenError) Error() string {
	return fmt.Sprintf("this terminal cannot be drawn on: %v", e.Err)
}

// Run shows the groups until a key ends it.
func Run(sampler *Sampler, delay time.Duration, order string) error {
	terminal, err := tcell.NewScreen()
	if err == nil {
		err = terminal.Init()
	}
	if err != nil {
		return &NoScreenError{err}
	}
	defer terminal.Fini()
	s := &screen{order: order}
	s.resize(terminal.Size())
	return s.show(terminal, sampler, delay)
}

// show is the one that looks and the one that draws: what is seen is what there was.
func (s *screen) show(terminal tcell.Screen, sampler *Sampler, delay time.Duration) error {
	events, quit := make(chan tcell.Event), make(chan struct{})
	defer close(quit)
	go terminal.ChannelEvents(events, quit)
	ticks := time.NewTicker(delay)
	defer ticks.Stop()
	// a terminal is given back by whoever ends
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, unix.SIGTERM, unix.SIGHUP, unix.SIGINT)
	defer signal.Stop(signals)
	for {
		if !s.paused {
			if err := s.look(sampler); err != nil {
				return err
			}
		}
		for looked := true; looked; {
			s.draw(terminal)
			select {
			case <-ticks.C:
				looked = false
			case <-signals:
				return nil
			case event, open := <-events:
				if !open {
					return nil
				}
				if end, err := s.happened(terminal, event); end || err != nil {
					return err
				}
			}
		}
	}
}

func (s *screen) look(sampler *Sampler) error {
	rows, err := sampler.Look()
	if err != nil {
		return err
	}
	s.take(rows)
	return nil
}

func (s *screen) take(rows []Row) {
	s.rows = rows
	Sort(s.rows, s.order, s.reverse)
	s.scroll(0)
}

// happened returns whether that was the end.
func (s *screen) happened(terminal tcell.Screen, event tcell.Event) (bool, error) {
	switch e := event.(type) {
	case *tcell.EventError:
		return true, e
	case *tcell.EventResize:
		s.resize(e.Size())
		terminal.Sync()
	case *tcell.EventKey:
		if e.Key() == tcell.KeyCtrlZ {
			return false, s.suspend(terminal)
		}
		return s.key(nameOf(e)), nil
	}
	return false, nil
}

// suspend gives the terminal back, and stops until somebody goes on.
func (s *screen) suspend(terminal tcell.Screen) error {
	if err := terminal.Suspend(); err != nil {
		return err
	}
	// to this thread: another one would go on for a while
	runtime.LockOSThread()
	err := unix.Tgkill(unix.Getpid(), unix.Gettid(), unix.SIGTSTP)
	runtime.UnlockOSThread()
	if err == nil {
		err = terminal.Resume()
	}
	s.resize(terminal.Size())
	return err
}

func nameOf(key *tcell.EventKey) string {
	if key.Key() == tcell.KeyRune {
		return string(key.Rune())
	}
	return tcell.KeyNames[key.Key()]
}

// draw leaves the lines that did not change as they are: the library sees to that.
func (s *screen) draw(terminal tcell.Screen) {
	terminal.Clear()
	for y, line := range s.lines() {
		style := tcell.StyleDefault
		if y == 1 {
			style = style.Reverse(true)
			line = runewidth.FillRight(line, s.width)
		}
		x := 0
		for _, char := range line {
			terminal.SetContent(x, y, char, nil, style)
			x += runewidth.RuneWidth(char)
		}
	}
	terminal.Show()
}

func (s *screen) resize(width, height int) {
	s.width, s.height = width, height
	s.scroll(0)
}

// key does what a key is for, and returns whether that is to end.
func (s *screen) key(key string) bool {
	switch key {
	case "q", "Esc", "Ctrl-C":
		return true
	case "Up", "k":
		s.scroll(-1)
	case "Down", "j":
		s.scroll(1)
	case "PgUp", "b":
		s.scroll(-s.room())
	case "PgDn", "f":
		s.scroll(s.room())
	case "Home", "g":
		s.scroll(-len(s.rows))
	case "End", "G":
		s.scroll(len(s.rows))
	case " ", "p":
		s.paused = !s.paused
	case "s", ">":
		s.sortBy(1)
	case "S", "<":
		s.sortBy(-1)
	case "r":
		s.reverse = !s.reverse
		Sort(s.rows, s.order, s.reverse)
	}
	return false
}

func (s *screen) sortBy(step int) {
	at := slices.Index(Orders, s.order) + step + len(Orders)
	s.order = Orders[at%len(Orders)]
	Sort(s.rows, s.order, s.reverse)
}

// room is how many groups there is room for, beside the lines above and below.
func (s *screen) room() int { return max(s.height-3, 1) }

func (s *screen) scroll(lines int) {
	s.first = max(min(s.first+lines, len(s.rows)-s.room()), 0)
}

// lines are what is shown: none is wider than the terminal, and there are no more than it has.
func (s *screen) lines() []string {
	last := min(s.first+s.room(), len(s.rows))
	lines := []string{s.head()}
	lines = append(lines, strings.Split(strings.TrimSuffix(Table(s.rows[s.first:last], s.width), "\n"), "\n")...)
	for len(lines) < s.height-1 {
		lines = append(lines, "")
	}
	lines = append(lines, "q quit  s sort  r reverse  space pause  arrows scroll")
	for i, line := range lines {
		lines[i] = runewidth.Truncate(line, s.width, "")
	}
	return lines[:min(len(lines), s.height)]
}

func (s *screen) head() string {
	state := ""
	if s.paused {
		state = ", paused"
	}
	return fmt.Sprintf("memward: %d groups, %s charged; by %s%s; %s", len(s.rows), text.Size(sum(s.rows)), s.order, state, time.Now().Format("15:04:05"))
}
