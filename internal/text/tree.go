// SPDX-License-Identifier: GPL-2.0

package text

import (
	"os"
	"strings"
)

// Branches draws a tree.
type Branches struct{ middle, last, through, blank string }

// NewBranches draws with lines, or, where the locale has none, with what is on every keyboard.
func NewBranches() Branches {
	if isUnicode() {
		return Branches{"├─ ", "└─ ", "│  ", "   "}
	}
	return Branches{"|- ", "`- ", "|  ", "   "}
}

// isUnicode says whether the locale can show more than what is on every keyboard.
func isUnicode() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if value := os.Getenv(name); value != "" {
			return strings.Contains(strings.ToUpper(value), "UTF")
		}
	}
	return false
}

// Prefixes are what stands before each line of a tree, by how deep each is; the first is its top.
func (b Branches) Prefixes(depths []int) []string {
	prefixes := make([]string, len(depths))
	// from below: is there another one of this depth further down, before the tree comes back above it?
	more := map[int]bool{}
	for i := len(depths) - 1; i >= 0; i-- {
		depth := depths[i] - depths[0]
		if depth > 0 {
			prefixes[i] = b.prefix(depth, more)
		}
		more[depth] = true
		for deeper := range more {
			if deeper > depth {
				delete(more, deeper)
			}
		}
	}
	return prefixes
}

func (b Branches) prefix(depth int, more map[int]bool) string {
	var line strings.Builder
	for level := 1; level < depth; level++ {
		if more[level] {
			line.WriteString(b.through)
		} else {
			line.WriteString(b.blank)
		}
	}
	if more[depth] {
		line.WriteString(b.middle)
	} else {
		line.WriteString(b.last)
	}
	return line.String()
}
