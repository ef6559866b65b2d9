// SPDX-License-Identifier: GPL-2.0

package conf

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"memward/internal/groupfs"
)

func parse(t *testing.T, text string) *File {
	t.Helper()
	file, err := Parse("x.toml", []byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return file
}

func setting(file, value string, line int) Setting {
	return Setting{groupfs.Setting{File: file, Value: value}, line}
}

// However a setting is written, it is the same.
func TestGroups(t *testing.T) {
	for _, text := range []string{
		"[group.db]\nmemory.high = \"500M\"\nmemory.swappiness = 60\nbind = [\"a.service\", \"/b\"]\n",
		"[group.\"db\"]\n\"memory.high\" = '500M'\n\"memory.swappiness\" = 6_0\nbind = [\"a.service\",\"/b\"]\n",
		"[group]\ndb.memory.high = \"500M\"\ndb.memory.swappiness = 0x3c\ndb.bind = [\"a.service\", \"/b\"]\n",
		"[group.db.memory]\nhigh = \"500M\"\nswappiness = 60\n[group.db]\nbind = [\"a.service\", \"/b\"]\n",
		"group.db = {memory.high = \"500M\", memory.swappiness = 60, bind = [\"a.service\", \"/b\"]}\n",
		"[group.\"/db/\"]\r\nmemory = {high = \"500M\", swappiness = 60}\r\nbind = [\"a.service\", \"/b\"]\r\n",
	} {
		file := parse(t, text)
		if len(file.Groups) != 1 || file.Groups[0].Name != "db" || len(file.Groups[0].Settings) != 2 || len(file.Groups[0].Bind) != 2 {
			t.Errorf("%s: %+v", text, file.Groups)
			continue
		}
		g := file.Groups[0]
		if g.Settings[0].Setting != (groupfs.Setting{File: "memory.high", Value: "500M"}) ||
			g.Settings[1].Setting != (groupfs.Setting{File: "memory.swappiness", Value: "60"}) || g.Bind[0].Text != "a.service" || g.Bind[1].Text != "/b" {
			t.Errorf("%s: %+v", text, g)
		}
	}
}

func TestOrderAndLines(t *testing.T) {
	file := parse(t, "# x\n[unit.\"b*\"]\nmemory.max = 1\n\n[unit.a]\n\"memory.high.stall_max\" = 5\nmemory.high = \"max\"\n[unit.\"c*\".memory]\nlow = 2\n")
	want := []Unit{
		{2, "b*", []Setting{setting("memory.max", "1", 3)}},
		{5, "a", []Setting{setting("memory.high.stall_max", "5", 6), setting("memory.high", "max", 7)}},
		{8, "c*", []Setting{setting("memory.low", "2", 9)}},
	}
	if !reflect.DeepEqual(file.Units, want) {
		t.Errorf("%+v", file.Units)
	}
	file = parse(t, "[group.a]\nbind = [\n\t\"x\",\n\t\"y\", # z\n]\n[group.\"b/c\"]\n[group.a2]\nbind = \"one\"\n")
	if len(file.Groups) != 3 || file.Groups[1].Name != "b/c" || file.Groups[1].Line != 6 {
		t.Fatalf("%+v", file.Groups)
	}
	if !reflect.DeepEqual(file.Groups[0].Bind, []Word{{3, "x"}, {4, "y"}}) || file.Groups[2].Bind[0].Text != "one" {
		t.Errorf("%+v", file.Groups)
	}
}

func TestMount(t *testing.T) {
	for text, want := range map[string]Mount{
		"": {}, "[mount]\n": {}, "[mount]\nmirror = true\n": {Mirror: "/"}, "[mount]\nmirror = false\n": {}, "mount.untested = true\n": {Untested: true},
		"[mount]\nmirror = \"/system.slice/\"\nuntested = true\n": {Mirror: "/system.slice", Untested: true}, "[unit.a]\nmemory.max=1\n": {Mirror: "/"},
		"[group.a]\n": {}, "[unit.a]\nmemory.max=1\n[mount]\nmirror = \"/a\"\n": {Mirror: "/a"},
	} {
		c := Conf{Files: []File{*parse(t, text)}}
		if got := c.Mount(); got != want {
			t.Errorf("%q: %+v", text, got)
		}
		if c.SaysSort() != (strings.Contains(text, "mirror") || strings.Contains(text, ".a]")) {
			t.Errorf("%q says the sort: %v", text, c.SaysSort())
		}
	}
}

// What is wrong is told of its line, and what to do, where that is not plain.
func TestMistakes(t *testing.T) {
	for _, c := range []struct {
		text string
		line int
		says string
	}{
		{"[group.db\n", 1, "]"}, {"\n[group.db]\nmemory.high = \n", 3, ""}, {"[group.a]\n[group.a]\n", 2, "a"},
		{"[group.a]\nmemory.max = 1\nmemory.max = 2\n", 3, "max"}, {"[group.a]\nmemory.high = 1\nmemory.high.stall_max = 2\n", 3, ""},
		{"x = 1\n", 1, "there is nothing called x"}, {"[groups.a]\n", 1, "groups"}, {"[[group]]\n", 1, "one bracket"}, {"group = 1\n", 1, "no table"},
		{"[group]\nmemory.max = 1\n", 2, ""}, {"[group.a]\nx = 1\n", 2, "a.x is no setting"}, {"\n[unit.redis.service]\nmemory.max = 1\n", 2, "[unit.redis.service] is no table of redis"}, {"[unit]\nredis.service.memory.max = 1\n", 2, "service.memory.max"},
		{"[group.a.b]\nmemory.max = 1\n", 1, "[group.a.b] is no table of a"}, {"[group.\"../x\"]\n", 1, "../x"}, {"[group.\"\"]\n", 1, "empty"}, {"[group.\"a\\u0000\"]\n", 1, "shortest"},
		{"[group.a]\nmemory.max = 1.5\n", 2, "neither"}, {"[group.a]\nmemory.max = true\n", 2, "0 or 1"}, {"[group.a]\nmemory.max = [1]\n", 2, "neither"},
		{"[group.a]\nmemory.max = \"\"\n", 2, "no value"}, {"[group.a]\nmemory.max = \"1\\n2\"\n", 2, "no value"}, {"[group.a]\nbind = 1\n", 2, "list"},
		{"[group.a]\nbind = [\n1]\n", 2, "list"}, {"[group.a]\nbind = [\"\"]\n", 2, "list"}, {"[unit.a]\nbind = [\"x\"]\n", 2, "nothing is to be bound"},
		{"[unit.\"[\"]\n", 1, "pattern"}, {"[unit.\"\"]\n", 1, "pattern"}, {"[unit.\"a/b\"]\n", 1, "slash in front"}, {"[mount]\nmirror = \"x\"\n", 2, "mirror"},
		{"[mount]\nmirror = 1\n", 2, "mirror"}, {"[mount]\nmirror = \"/a,b\"\n", 2, "comma"}, {"[mount]\nx = 1\n", 2, "nothing called x"}, {"[mount]\nuntested = 1\n", 2, "true or false"},
		{"[group.a]\nmemory.max = 99999999999999999999\n", 2, ""}, {"\xff\n", 1, ""}, {"[group.a]\n\"memory/max\" = 1\n", 2, ""},
		{"[group.a]\nmemory.max = 1\nmemory.limit_in_bytes = 2\n", 3, "line 2 already, as memory.max"}, {"[group.a]\nmemory.max = 1\n\"memory.max\" = 2\n", 3, "line 2 already"},
		{"[group.a]\nbind = \"x\"\n[group.\"/a\"]\nbind = \"y\"\n", 4, "twice"}, {"[group.db.static]\n", 1, "no table of db"},
		{"[mount.x]\n", 1, "no table x"}, {"[group.a]\nbind = {}\n", 2, "list"}, {"group.a.bind = {x = 1}\n", 1, "list"},
	} {
		file, err := Parse("x.toml", []byte(c.text))
		if err == nil {
			t.Errorf("%q is taken for %+v", c.text, file)
			continue
		}
		if err.Line != c.line || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "x.toml:") {
			t.Errorf("%q: line %d: %v", c.text, err.Line, err)
		}
	}
}

func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestLoad(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"20.toml": "[group.b]\n", "10.toml": "[group.a]\n", ".hidden.toml": "x", "README": "x", "30.toml~": "x", "15.toml": "[group.", "40.toml": "\n[group.a]\nmemory.max = 1\n",
		"50.toml": "[unit.x]\nmemory.max = 1\n", "60.toml": "[mount]\nuntested = true\n", "70.toml": "[mount]\n", "80.toml": "[mount]\nmirror = true\n",
	})
	c, err := Load([]string{dir}, nil)
	if err != nil {
		t.Fatal(err)
	}
	var good, bad []string
	for _, file := range c.Files {
		good = append(good, filepath.Base(file.Path))
	}
	for _, wrong := range c.Errors {
		bad = append(bad, filepath.Base(wrong.Path))
	}
	if strings.Join(good, " ") != "10.toml 20.toml 60.toml" || strings.Join(bad, " ") != "15.toml 40.toml 50.toml 70.toml 80.toml" {
		t.Errorf("good %v, bad %v: %v", good, bad, c.Errors)
	}
	if !strings.Contains(c.Errors[1].Error(), "40.toml:2: group a is in ") {
		t.Error(c.Errors[1])
	}
	for path, want := range map[string]bool{dir + "/10.toml": true, dir + "/gone.toml": true, dir + "/x/y.toml": false, "/etc/x.toml": false} {
		if c.Covers(path) != want {
			t.Errorf("%s is covered: %v", path, !want)
		}
	}
	if c, err = Load([]string{filepath.Join(dir, "README"), filepath.Join(dir, "10.toml")}, nil); err != nil || len(c.Files) != 1 || len(c.Errors) != 1 {
		t.Errorf("%+v %v", c, err)
	}
	if _, err = Load([]string{filepath.Join(dir, "gone.toml")}, nil); err == nil {
		t.Error("what is not there is read")
	}
}

// A file with a mistake is as it was before, beside the others too.
func TestBefore(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{"1.toml": "[group.", "2.toml": "[group.b]\n", "3.toml": "[group.b]\n", "4.toml": "[group.", "0.toml": "[group."})
	c, err := Load([]string{dir}, map[string]string{dir + "/1.toml": "[group.a]\n", dir + "/3.toml": "[group.c]\n", dir + "/5.toml": "[group.e]\n", dir + "/0.toml": "[group.b]\n"})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, file := range c.Files {
		got = append(got, fmt.Sprint(filepath.Base(file.Path), " ", file.Old, " ", file.Groups[0].Name))
	}
	if strings.Join(got, ", ") != "1.toml true a, 2.toml false b, 3.toml true c" || len(c.Errors) != 4 {
		t.Errorf("%v %v", got, c.Errors)
	}
	if !c.Has(dir+"/3.toml") || c.Has(dir+"/4.toml") {
		t.Error("which it has")
	}
	if c := Of(map[string]string{"b": "[group.b]\n", "a": "[group.a]\n"}); len(c.Files) != 2 || c.Files[0].Path != "a" {
		t.Errorf("%+v", c)
	}
}

// What cannot be read is not empty.
func TestUnreadable(t *testing.T) {
	loop := filepath.Join(t.TempDir(), "memward.d")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	if c, err := Load([]string{loop}, nil); err == nil {
		t.Errorf("%+v", c)
	}
}
