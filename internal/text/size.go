// SPDX-License-Identifier: GPL-2.0

// Package text makes text of numbers and tables of text.
package text

import (
	"fmt"
	"time"

	"memward/internal/groupfs"
)

// Size is a number of bytes as memward's files would take it, with one decimal if it is not a round one.
func Size(bytes int64) string {
	const suffixes = "KMGTPE"
	if bytes < 1024 {
		return fmt.Sprintf("%d", bytes)
	}
	unit := 0
	value, whole := float64(bytes)/1024, bytes%1024 == 0
	// what would be rounded to 1024 is one of the next unit
	for value >= 1023.95 && unit < len(suffixes)-1 {
		value /= 1024
		unit++
		whole = whole && bytes%(1<<(10*(unit+1))) == 0
	}
	if whole {
		return fmt.Sprintf("%.0f%c", value, suffixes[unit])
	}
	return fmt.Sprintf("%.1f%c", value, suffixes[unit])
}

// Limit is a limit as a size; "-" for none.
func Limit(limit groupfs.Limit) string {
	if !limit.Set {
		return "-"
	}
	return Size(limit.Bytes)
}

// Counts are those that are not zero; all of them where that is asked.
func Counts(counts groupfs.Counts, all bool) string {
	line := ""
	for _, name := range counts.Names {
		if value := counts.Values[name]; all || value != 0 {
			line += fmt.Sprintf("  %s %d", name, value)
		}
	}
	if line == "" {
		return "-"
	}
	return line[2:]
}

// Duration is a time as a person reads it.
func Duration(d time.Duration) string {
	switch {
	case d < 10*time.Second:
		return d.Round(time.Millisecond).String()
	default:
		return d.Round(100 * time.Millisecond).String()
	}
}
