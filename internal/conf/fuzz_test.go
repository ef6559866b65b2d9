// SPDX-License-Identifier: GPL-2.0

package conf

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode"

	"memward/internal/groupfs"
)

// quoted is a string of TOML.
func quoted(text string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range text {
		if r < ' ' || r == '"' || r == '\\' || r == 0x7f {
			fmt.Fprintf(&b, `\u%04X`, r)
		} else {
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

func writeSettings(b *strings.Builder, settings []Setting) {
	for _, s := range settings {
		fmt.Fprintf(b, "%s = %s\n", quoted(s.File), quoted(s.Value))
	}
}

// written is what a file says in the plainest way.
func written(file *File) string {
	var b strings.Builder
	if m := file.Mount; m != nil {
		fmt.Fprintf(&b, "[mount]\nuntested = %v\n", m.Untested)
		switch {
		case m.Said && m.Mirror == "":
			b.WriteString("mirror = false\n")
		case m.Said:
			fmt.Fprintf(&b, "mirror = %s\n", quoted(m.Mirror))
		}
	}
	for _, g := range file.Groups {
		fmt.Fprintf(&b, "[group.%s]\n", quoted(g.Name))
		writeSettings(&b, g.Settings)
		if g.Bind == nil {
			continue
		}
		var words []string
		for _, word := range g.Bind {
			words = append(words, quoted(word.Text))
		}
		fmt.Fprintf(&b, "bind = [%s]\n", strings.Join(words, ", "))
	}
	for _, u := range file.Units {
		fmt.Fprintf(&b, "[unit.%s]\n", quoted(u.Pattern))
		writeSettings(&b, u.Settings)
	}
	return b.String()
}

// withoutLines is what a file says, wherever it says that.
func withoutLines(file *File) *File {
	said := &File{}
	if file.Mount != nil {
		m := *file.Mount
		m.Line = 0
		said.Mount = &m
	}
	settings := func(all []Setting) (bare []Setting) {
		for _, s := range all {
			bare = append(bare, Setting{Setting: s.Setting})
		}
		return bare
	}
	for _, g := range file.Groups {
		bare := Group{Name: g.Name, Settings: settings(g.Settings)}
		for _, word := range g.Bind {
			bare.Bind = append(bare.Bind, Word{Text: word.Text})
		}
		said.Groups = append(said.Groups, bare)
	}
	for _, u := range file.Units {
		said.Units = append(said.Units, Unit{Pattern: u.Pattern, Settings: settings(u.Settings)})
	}
	return said
}

// linesOf are all that a file names.
func linesOf(file *File) (lines []int) {
	if file.Mount != nil {
		lines = append(lines, file.Mount.Line)
	}
	add := func(line int, settings []Setting) {
		lines = append(lines, line)
		for _, s := range settings {
			lines = append(lines, s.Line)
		}
	}
	for _, g := range file.Groups {
		add(g.Line, g.Settings)
		for _, word := range g.Bind {
			lines = append(lines, word.Line)
		}
	}
	for _, u := range file.Units {
		add(u.Line, u.Settings)
	}
	return lines
}

// FuzzParse: whatever stands in a file, it is read, and says the same when that is written plainly; or what is wrong is one line for a terminal,
// about a line that there is.
func FuzzParse(f *testing.F) {
	for _, text := range []string{
		"", "[group.db]\nmemory.high = \"500M\"\nbind = [\"a.service\", \"/b\"]\n", "group.db = {memory.high = 0x10, bind = \"a\"}\n",
		"[mount]\nmirror = \"/a/../b\"\nuntested = true\n[unit.\"b*\"]\nmemory.max = 1\n", "[group.\"a/b\"]\n[group.a]\nmemory = {high = 'max'}\n",
		"[group]\n\"/db/\".memory.high = \"\"\"\n5\"\"\"\n", "[[group.a]]\n", "[group.a]\nmemory.high = 1\nmemory.high = 2\n", "[group.a", "x = 1979-05-27\n",
		"[group.\"\\u0007\"]\nmemory.max=\"\\u001b[2J\"\n", "[group.\"\\n\"]\nmemory.high=[]\n",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := strings.Count(text, "\n") + 1
		file, wrong := Parse("x.toml", []byte(text))
		if wrong != nil {
			if wrong.Line < 0 || wrong.Line > lines {
				t.Errorf("line %d of %d: %v", wrong.Line, lines, wrong)
			}
			if said := wrong.Error(); strings.ContainsFunc(said, func(r rune) bool { return !unicode.IsPrint(r) }) {
				t.Errorf("not for a terminal: %q", said)
			}
			return
		}
		for _, line := range linesOf(file) {
			if line < 1 || line > lines {
				t.Errorf("line %d of %d", line, lines)
			}
		}
		for _, g := range file.Groups {
			if clean, err := groupfs.CleanName(g.Name); err != nil || clean != g.Name {
				t.Errorf("a group called %q", g.Name)
			}
		}
		plain := written(file)
		again, wrong := Parse("x.toml", []byte(plain))
		if wrong != nil {
			t.Fatalf("written plainly it is wrong: %v\n%s", wrong, plain)
		}
		if a, b := withoutLines(file), withoutLines(again); !reflect.DeepEqual(a, b) {
			t.Errorf("%+v\nis, written plainly, %+v\n%s", a, b, plain)
		}
		Of(map[string]string{"x.toml": text}).Mount()
	})
}
