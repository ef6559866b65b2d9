// SPDX-License-Identifier: GPL-2.0

package top

import (
	"errors"
	"strings"
	"testing"

	"github.com/gdamore/tcell/v2"
	"github.com/mattn/go-runewidth"

	"memward/internal/groupfs"
)

func row(name string, current, swap, high int64) Row {
	r := Row{Usage: groupfs.Usage{Name: name, Current: current, Swap: swap, Events: groupfs.ParseCounts("high 3\noom_kill 1\n")}}
	if high > 0 {
		r.Usage.High = groupfs.Limit{Bytes: high, Set: true}
	}
	return r
}

func names(rows []Row) string {
	var all []string
	for _, r := range rows {
		all = append(all, r.Name)
	}
	return strings.Join(all, " ")
}

func TestSort(t *testing.T) {
	rows := []Row{row("a", 10, 5, 0), row("b", 30, 0, 60), row("c", 20, 9, 20), row("d", 10, 5, 0)}
	rows[0].Growth, rows[1].Slowed = 7, 2
	for order, want := range map[string]string{
		"current": "b c a d", "swap": "c a d b", "name": "a b c d", "limit": "c b a d", "growth": "a b c d", "high": "b a c d",
	} {
		Sort(rows, order, false)
		if got := names(rows); got != want {
			t.Errorf("by %s: %s, not %s", order, got, want)
		}
	}
	Sort(rows, "current", true)
	if got := names(rows); got != "a d c b" {
		t.Errorf("reversed: %s", got)
	}
	for _, order := range Orders {
		if CheckOrder(order) != nil {
			t.Error(order)
		}
	}
	if CheckOrder("x") == nil {
		t.Error("x is an order")
	}
}

func TestCompare(t *testing.T) {
	r := row("a", 3000, 0, 0)
	old := groupfs.Usage{Current: 1000, Events: groupfs.ParseCounts("high 1\n")}
	r.compare(old, 2)
	if r.Growth != 1000 || r.Slowed != 1 {
		t.Errorf("%d %f", r.Growth, r.Slowed)
	}
	// one that was made anew has fewer events than the one before
	r = row("a", 1000, 0, 0)
	r.compare(groupfs.Usage{Current: 3000, Events: groupfs.ParseCounts("high 9\n")}, 2)
	if r.Growth != -1000 || r.Slowed != 0 {
		t.Errorf("%d %f", r.Growth, r.Slowed)
	}
}

func many(n int) []Row {
	rows := make([]Row, n)
	for i := range rows {
		rows[i] = row("some.slice/a-rather-long-name-"+strings.Repeat("x", i%9)+".service", int64(i)<<20, 1<<20, 100<<20)
	}
	return rows
}

func groupLines(s *screen) int { return strings.Count(strings.Join(s.lines(), "\n"), "some.slice") }

// Whatever the size of the terminal, nothing is drawn outside of it.
func TestLinesFit(t *testing.T) {
	for width := 1; width < 130; width += 3 {
		for height := 1; height < 40; height += 4 {
			s := &screen{order: "current"}
			s.take(many(50))
			s.resize(width, height)
			lines := s.lines()
			if len(lines) > height {
				t.Fatalf("%d lines on %dx%d", len(lines), width, height)
			}
			for _, line := range lines {
				if w := runewidth.StringWidth(line); w > width {
					t.Fatalf("a line of %d on %dx%d: %q", w, width, height, line)
				}
			}
		}
	}
}

func TestKeys(t *testing.T) {
	s := &screen{order: "current"}
	s.take(many(50))
	s.resize(80, 13)
	for _, c := range []struct {
		key   string
		first int
	}{{"End", 40}, {"Down", 40}, {"j", 40}, {"Up", 39}, {"PgUp", 29}, {"PgDn", 39}, {"Home", 0}, {"k", 0}, {"G", 40}} {
		if s.key(c.key) || s.first != c.first {
			t.Errorf("after %s it begins with %d, not %d", c.key, s.first, c.first)
		}
	}
	// groups have gone
	s.take(many(5))
	if groupLines(s) != 5 {
		t.Errorf("%s", strings.Join(s.lines(), "\n"))
	}
	s.key("s")
	if s.order != "swap" {
		t.Error(s.order)
	}
	s.key("S")
	s.key("S")
	if s.order != "name" {
		t.Error(s.order)
	}
	s.key("p")
	if !s.paused || !strings.Contains(s.lines()[0], "paused") {
		t.Error("it does not pause")
	}
	for _, key := range []string{"q", "Esc", "Ctrl-C"} {
		if !s.key(key) {
			t.Errorf("%s does not end it", key)
		}
	}
}

// What is drawn is what lines() says, and a key that is typed arrives.
func TestOnAScreen(t *testing.T) {
	terminal := tcell.NewSimulationScreen("UTF-8")
	if err := terminal.Init(); err != nil {
		t.Fatal(err)
	}
	defer terminal.Fini()
	terminal.SetSize(60, 10)
	s := &screen{order: "current"}
	s.resize(60, 10)
	s.take(many(3))
	s.draw(terminal)
	cells, width, height := terminal.GetContents()
	var shown []string
	for y := range height {
		line := ""
		for x := range width {
			line += string(cells[y*width+x].Runes)
		}
		shown = append(shown, strings.TrimRight(line, " "))
	}
	for i, line := range s.lines() {
		// the first has the time of day
		if i > 0 && shown[i] != strings.TrimRight(line, " ") {
			t.Errorf("%q is shown, not %q", shown[i], line)
		}
	}
	for _, c := range []struct {
		event tcell.Event
		end   bool
	}{
		{tcell.NewEventKey(tcell.KeyDown, 0, 0), false}, {tcell.NewEventKey(tcell.KeyRune, 'q', 0), true}, {tcell.NewEventKey(tcell.KeyCtrlC, 0, 0), true},
		{tcell.NewEventResize(30, 5), false}, {tcell.NewEventError(errors.New("gone")), true},
	} {
		if end, _ := s.happened(terminal, c.event); end != c.end {
			t.Errorf("%#v: %v", c.event, end)
		}
	}
	if s.width != 30 || s.height != 5 {
		t.Errorf("it is %dx%d", s.width, s.height)
	}
}
