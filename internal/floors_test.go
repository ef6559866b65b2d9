// SPDX-License-Identifier: GPL-2.0

// Package internal has no code of its own.
package internal

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// Which package may import which: arrows go one way.
var below = map[string][]string{
	"groupfs": {},
	"kmod":    {"groupfs"},
	"cgroup":  {"groupfs"},
	"text":    {"groupfs"},
	"top":     {"groupfs", "text"},
	"conf":    {"groupfs"},
	"apply":   {"groupfs", "conf", "cgroup"},
	"cli":     {"groupfs", "kmod", "cgroup", "text", "top", "conf", "apply"},
	"manual":  {},
}

func TestFloors(t *testing.T) {
	entries, err := os.ReadDir(".")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if !entry.IsDir() {
			continue
		}
		allowed, found := below[entry.Name()]
		if !found {
			t.Errorf("%s is on no floor", entry.Name())
		}
		for _, name := range importsOf(t, entry.Name()) {
			inside, found := strings.CutPrefix(name, "memward/internal/")
			if found && !strings.Contains(" "+strings.Join(allowed, " ")+" ", " "+inside+" ") {
				t.Errorf("%s imports %s", entry.Name(), inside)
			}
		}
	}
}

func importsOf(t *testing.T, dir string) (names []string) {
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v", dir, err)
	}
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			name, _ := strconv.Unquote(spec.Path.Value)
			names = append(names, name)
		}
	}
	return names
}
