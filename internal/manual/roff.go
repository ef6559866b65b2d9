// SPDX-License-Identifier: GPL-2.0

package manual

import (
	"regexp"
	"strings"
)

var (
	bold = regexp.MustCompile(`\\fB.*?\\f[PR]`)
	// name is that of a file, and what is right before it.
	name = regexp.MustCompile(`(\\f[BIPR]|^|[\s(])([a-z0-9/]+(?:[._][a-z0-9_/]+)+)`)
)

// tidy mends what md2man leaves: empty lines, which man pages do not have; examples that stand where the text stands; hyphens
// in what is to be typed, which man would show as other signs than the shell knows; and names, which it would divide.
func tidy(page string) string {
	var lines []string
	inExample := false
	for line := range strings.Lines(page) {
		line = strings.TrimRight(line, "\n")
		switch {
		case line == ".EX":
			inExample = true
			lines = append(lines, ".PP", ".RS 4", line)
		case line == ".EE":
			inExample = false
			lines = append(lines, line, ".RE")
		case inExample:
			lines = append(lines, strings.ReplaceAll(line, "-", `\-`))
		case strings.HasPrefix(line, ".SS "):
			lines = append(lines, minus(line))
		case line != "":
			lines = append(lines, bold.ReplaceAllStringFunc(undivided(line), minus))
		}
	}
	return strings.Join(withoutIdle(lines), "\n") + "\n"
}

func minus(word string) string { return strings.ReplaceAll(word, "-", `\-`) }

// undivided does not touch the line of which whatis(1) takes what a page is about.
func undivided(line string) string {
	if strings.HasPrefix(line, ".") || strings.Contains(line, ` \- `) {
		return line
	}
	return name.ReplaceAllString(line, `$1\%$2`)
}

// withoutIdle leaves out a paragraph's beginning where another one begins at once.
func withoutIdle(lines []string) []string {
	var kept []string
	for i, line := range lines {
		if line == ".PP" && i+1 < len(lines) && isBreak(lines[i+1]) {
			continue
		}
		if line == ".PP" && len(kept) > 0 && (strings.HasPrefix(kept[len(kept)-1], ".SH") || strings.HasPrefix(kept[len(kept)-1], ".SS")) {
			continue
		}
		kept = append(kept, line)
	}
	return kept
}

func isBreak(line string) bool {
	return line == ".PP" || strings.HasPrefix(line, ".SH") || strings.HasPrefix(line, ".SS") || strings.HasPrefix(line, ".TP")
}
