// SPDX-License-Identifier: GPL-2.0

package groupfs

import (
	"strconv"
	"strings"
	"unicode"
)

// Quote is a name as it can be shown in one line, and typed in a shell: as it is, or, if it has anything that
// a terminal or a shell would take for something else, in single quotes, or as $'…' where it cannot be seen.
func Quote(name string) string {
	switch {
	case name == "":
		return "''"
	case !isPrintable(name):
		return "$'" + escape(name) + "'"
	case strings.ContainsFunc(name, isSpecial):
		return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
	}
	return name
}

// Visible is a text as it can be shown in one line: what a terminal would take for something else is written as an escape.
func Visible(text string) string {
	var b strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			escaped := strconv.QuoteRuneToASCII(r)
			b.WriteString(escaped[1 : len(escaped)-1])
		}
	}
	return b.String()
}

func isPrintable(name string) bool {
	for _, r := range name {
		if r == unicode.ReplacementChar || !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

func isSpecial(r rune) bool { return strings.ContainsRune(" \t'\"\\$`!*?[]{}()<>|&;#~", r) }

// escape is what bash understands between $' and '.
func escape(name string) string {
	quoted := strconv.QuoteToASCII(name)
	quoted = strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
	return strings.ReplaceAll(quoted, "'", `\'`)
}
