// SPDX-License-Identifier: GPL-2.0

package text

import (
	"io"
	"strings"

	"github.com/mattn/go-runewidth"
)

// Table is made of rows, of which the first is the head.  Its first column is text, and so is its last if Tail;
// what is between is numbers.
type Table struct {
	Rows [][]string
	Tail bool
	// Width is how many columns of a terminal there are; 0 for as many as it takes.
	Width int
}

// Add adds a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

const (
	gap     = 2
	minName = 12
)

// Print writes it.  Where the terminal is too narrow, columns are left out, the last first, but never the first
// two; then the first is cut.
func (t *Table) Print(w io.Writer) error {
	widths := t.widths()
	shown := t.fit(widths)
	var out strings.Builder
	for _, row := range t.Rows {
		line := ""
		for i := range shown {
			line += t.cell(row[i], i, widths[i])
		}
		out.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	_, err := io.WriteString(w, out.String())
	return err
}

func (t *Table) widths() []int {
	widths := make([]int, len(t.Rows[0]))
	for _, row := range t.Rows {
		for i, cell := range row {
			widths[i] = max(widths[i], runewidth.StringWidth(cell))
		}
	}
	return widths
}

// fit is how many columns are shown; it makes the first narrower if that does not help.
func (t *Table) fit(widths []int) int {
	shown := len(widths)
	if t.Width == 0 {
		return shown
	}
	// the names give way first, down to what can be recognized
	others := func() int {
		sum := 0
		for _, width := range widths[1:shown] {
			sum += gap + width
		}
		return sum
	}
	for shown > 2 && others()+min(widths[0], minName) > t.Width {
		shown--
	}
	widths[0] = min(widths[0], max(t.Width-others(), 1))
	return shown
}

// ellipsis is what a name that was cut ends with.
func ellipsis() string {
	if isUnicode() {
		return "…"
	}
	return "~"
}

func (t *Table) cell(text string, column, width int) string {
	last := t.Tail && column == len(t.Rows[0])-1
	switch {
	case column == 0:
		return runewidth.FillRight(runewidth.Truncate(text, width, ellipsis()), width)
	case last:
		return strings.Repeat(" ", gap) + text
	}
	return strings.Repeat(" ", gap) + runewidth.FillLeft(text, width)
}
