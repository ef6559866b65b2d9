// SPDX-License-Identifier: GPL-2.0

package text

import (
	"strings"
	"testing"
	"time"

	"memward/internal/groupfs"
)

func TestSize(t *testing.T) {
	for bytes, want := range map[int64]string{
		0: "0", 1023: "1023", 1024: "1K", 1536: "1.5K", 4096: "4K", 100 << 20: "100M", 100<<20 + 4096: "100.0M", 1 << 30: "1G", 1<<30 - 4096: "1.0G",
		1<<20 - 1: "1.0M", 3 << 29: "1.5G", 1<<63 - 1: "8.0E", 1<<40 + 1: "1.0T",
	} {
		if got := Size(bytes); got != want {
			t.Errorf("%d is %s, not %s", bytes, got, want)
		}
	}
}

// What is written without a decimal is exact, so it can be written back.
func TestWholeSizesAreExact(t *testing.T) {
	for bytes := int64(1); bytes > 0 && bytes < 1<<62; bytes = bytes*3/2 + 1 {
		for _, b := range []int64{bytes, bytes &^ 1023, bytes &^ (1<<20 - 1), bytes &^ (1<<30 - 1)} {
			size := Size(b)
			if strings.Contains(size, ".") {
				continue
			}
			if back, err := groupfs.ParseSize(size); err != nil || back != b {
				t.Errorf("%d is %s, which is %d (%v)", b, size, back, err)
			}
		}
	}
}

func TestLimitAndCounts(t *testing.T) {
	if Limit(groupfs.Limit{}) != "-" || Limit(groupfs.Limit{Bytes: 4096, Set: true}) != "4K" || Limit(groupfs.Limit{Set: true}) != "0" {
		t.Error("limits")
	}
	counts := groupfs.ParseCounts("low 0\nhigh 12\noom 1\n")
	if got := Counts(counts, false); got != "high 12  oom 1" {
		t.Error(got)
	}
	if got := Counts(counts, true); got != "low 0  high 12  oom 1" {
		t.Error(got)
	}
	if got := Counts(groupfs.Counts{}, true); got != "-" {
		t.Error(got)
	}
}

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{1234567 * time.Nanosecond: "1ms", 12345 * time.Millisecond: "12.3s", 0: "0s"} {
		if got := Duration(d); got != want {
			t.Errorf("%v is %s, not %s", d, got, want)
		}
	}
}

func print(width int, tail bool) string {
	table := Table{Width: width, Tail: tail}
	table.Add("GROUP", "CURRENT", "HIGH", "EVENTS")
	table.Add("system.slice/ssh.service", "4K", "100M", "high 3")
	table.Add("größe", "1.5G", "-", "-")
	var out strings.Builder
	_ = table.Print(&out)
	return out.String()
}

func TestTable(t *testing.T) {
	want := "" +
		"GROUP                     CURRENT  HIGH  EVENTS\n" +
		"system.slice/ssh.service       4K  100M  high 3\n" +
		"größe                        1.5G     -  -\n"
	if got := print(0, true); got != want {
		t.Errorf("\n%s", got)
	}
	if got := print(80, true); got != want {
		t.Errorf("\n%s", got)
	}
}

// It never is wider than the terminal, and says what is used as long as there is room for that.
func TestNarrowTables(t *testing.T) {
	for width := 10; width < 60; width++ {
		got := print(width, true)
		for line := range strings.Lines(got) {
			if n := len([]rune(strings.TrimRight(line, "\n"))); n > width {
				t.Errorf("at %d columns a line has %d:\n%s", width, n, got)
				break
			}
		}
		if !strings.Contains(got, "1.5G") {
			t.Errorf("at %d columns nothing says what is used:\n%s", width, got)
		}
	}
}

func TestPrefixes(t *testing.T) {
	for _, locale := range []struct {
		value string
		want  []string
	}{
		{"C.UTF-8", []string{"", "├─ ", "│  ├─ ", "│  │  └─ ", "│  └─ ", "└─ ", "   └─ "}},
		{"C", []string{"", "|- ", "|  |- ", "|  |  `- ", "|  `- ", "`- ", "   `- "}},
	} {
		t.Setenv("LC_ALL", locale.value)
		got := NewBranches().Prefixes([]int{3, 4, 5, 6, 5, 4, 5})
		if strings.Join(got, "\n") != strings.Join(locale.want, "\n") {
			t.Errorf("%s:\n%s", locale.value, strings.Join(got, "\n"))
		}
	}
}
