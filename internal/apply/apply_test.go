// SPDX-License-Identifier: GPL-2.0

package apply

import (
	"errors"
	"fmt"
	"os"
	"path"
	"reflect"
	"slices"
	"strings"
	"testing"

	"memward/internal/conf"
	"memward/internal/groupfs"
)

func parse(t *testing.T, name, text string) conf.File {
	t.Helper()
	file, err := conf.Parse(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return *file
}

func TestIsLike(t *testing.T) {
	for _, c := range []struct {
		pattern, group string
		want           bool
	}{
		{"ssh.service", "/system.slice/ssh.service", true}, {"ssh", "/system.slice/ssh.service", false}, {"postgresql@*.service", "/system.slice/system-postgresql.slice/postgresql@17-main.service", true},
		{"*.service", "/system.slice", false}, {"*", "/system.slice", true}, {"/system.slice/*", "/system.slice/ssh.service", true}, {"/*", "/system.slice/ssh.service", false},
		{"/system.slice", "/system.slice", true}, {"user-[0-9]*.slice", "/user.slice/user-1000.slice", true}, {"memory.service", "/system.slice/_memory.service", true},
		{"_x.service", "/system.slice/__x.service", true}, {"x.service", "/system.slice/_x.service", false},
		{`a\x2db.service`, `/system.slice/a\x2db.service`, true}, {`a\\x2d*.service`, `/system.slice/a\x2db.service`, true}, {`a\x2dc.service`, `/system.slice/a\x2db.service`, false},
	} {
		if got := isLike(c.pattern, c.group); got != c.want {
			t.Errorf("%s is like %s: %v", c.group, c.pattern, got)
		}
	}
}

// Of two values the last holds: in a file that which stands below, of two files the later one.
func TestLastHolds(t *testing.T) {
	files := []conf.File{
		parse(t, "1", "[unit.\"*.service\"]\nmemory.max = \"1G\"\nmemory.high = 1\nmemory.low = 1\n[unit.\"a*\"]\nmemory.high = 2\n"),
		parse(t, "2", "[unit.\"a.*\"]\nmemory.max = 3\n"),
	}
	var got []string
	for _, p := range ofUnits(files, "/", []string{"s/a.service", "s/b.service", "s"}) {
		for _, w := range p.wants {
			for _, s := range w.settings {
				got = append(got, fmt.Sprintf("%s %s %s=%s", p.path, w.group, s.File, s.Value))
			}
		}
	}
	slices.Sort(got)
	want := "1 s/a.service memory.high=2, 1 s/a.service memory.low=1, 1 s/b.service memory.high=1, 1 s/b.service memory.low=1, 1 s/b.service memory.max=1G, 2 s/a.service memory.max=3"
	if strings.Join(got, ", ") != want {
		t.Error(strings.Join(got, ", "))
	}
}

func TestBoundTwice(t *testing.T) {
	one := part{path: "1", wants: []want{{group: "a", bind: []conf.Word{{Line: 2, Text: "/x"}, {Line: 3, Text: "/x"}}}}}
	two := part{path: "2", wants: []want{{group: "b", bind: []conf.Word{{Line: 7, Text: "/x"}}}}}
	if err := bound([]part{one}); err != nil {
		t.Error(err)
	}
	if err := bound([]part{one, two}); err == nil || err.Error() != "2:7: /x is bound to a in 1:3" {
		t.Error(err)
	}
}

func TestCheck(t *testing.T) {
	for text, line := range map[string]int{
		"[group.a]\nmemory.max = \"1G\"\n\"memory.high.stall_action\" = \"wait\"\n": 0, "[unit.a]\nmemory.max = \"max\"\nmemory.swap.max = 0\n": 0,
		"[group.a]\nmemory.hihg = 1\n": 2, "[unit.a]\n\nmemory.max = \"1X\"\n": 3, "[group.a]\ncgroup.procs = 1\n": 2, "[group.a]\nmemward.bind = \"/a\"\n": 2,
		"[unit.a]\nmemory.swappiness = 201\n": 2, "[unit.a]\nmemory.oom.group = 2\n": 2, "[unit.a]\nmemory.dirty_ratio = 101\n": 2, "[unit.a]\ncgroup.max.depth = -1\n": 2,
		"[unit.a]\n\"memory.high.stall_action\" = \"die\"\n": 2, "[unit.a]\nmemory.swappiness = 200\nmemory.dirty_ratio = \"default\"\n": 0,
		"[group.a]\nmemory.peak = 1\n": 2, "[group.a]\nmemory.max = -5\n": 2,
	} {
		file := parse(t, "x", text)
		err := Check(&file)
		if line == 0 && err != nil || line != 0 && (err == nil || err.Line != line) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// asked has programs by these names found first, and says which of them were started since.
func asked(t *testing.T, names ...string) func() []string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		if err := os.WriteFile(dir+"/"+name, []byte("#!/bin/sh\n: >\"$0.asked\"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	return func() (started []string) {
		for _, name := range names {
			if _, err := os.Stat(dir + "/" + name + ".asked"); err == nil {
				started = append(started, name)
			}
		}
		return started
	}
}

// What is neither a path nor a unit is a mistake, with what to write instead, and who runs containers is asked of nothing: at boot that would wait for memward.
func TestWordsToBind(t *testing.T) {
	started := asked(t, "podman", "docker")
	for word, next := range map[string]string{
		"/system.slice/x.service": "", "pids:/web": "", "name=systemd:/": "",
		"web": "web.service", "redis.servce": "ends in .service", "x.timer": "ends in .service", "system.slice/x.service": "/system.slice/x.service", "a b": "'a b.service'",
		"4711": "by hand", "0123456789ab": "by hand", "-x": "by hand", "nobody:x": "by hand",
	} {
		file := parse(t, "x", "[group.a]\nbind = [\"/y\",\n \""+word+"\"]\n")
		checked := Check(&file)
		_, planned := ofGroups(&file, func(error) {})
		for _, err := range []*conf.Error{checked, planned} {
			var advice interface{ Next() string }
			switch {
			case next == "" && err != nil:
				t.Errorf("%s: %v", word, err)
			case next == "":
			case err == nil || err.Line != 3 || !errors.As(err, &advice) || !strings.Contains(advice.Next(), next):
				t.Errorf("%s: %v, and what to do is not %q", word, err, next)
			}
		}
	}
	if file := parse(t, "x", "[group.a]\nbind = \"x.service\"\n"); Check(&file) != nil {
		t.Error("a unit is none")
	}
	if started() != nil {
		t.Errorf("asked was %s", started())
	}
}

// A file without anything in it wants nothing any more, and no later mistake brings back what it said before.
func TestEmptied(t *testing.T) {
	file := t.TempDir() + "/1.toml"
	for _, kind := range []string{"[group.a]\n", "[unit.\"*.service\"]\nmemory.max = 1\n"} {
		a := New(&groupfs.Tree{Root: t.TempDir()})
		a.state = newState()
		for _, step := range []struct{ text, want string }{{kind, kind}, {"[group.", kind}, {"", ""}, {"[group.", ""}, {kind, kind}, {"#\n", "#\n"}} {
			if err := os.WriteFile(file, []byte(step.text), 0o600); err != nil {
				t.Fatal(err)
			}
			c, err := conf.Load([]string{file}, a.state.Files)
			if err != nil {
				t.Fatal(err)
			}
			var parts []part
			for i := range c.Files {
				p, _ := ofGroups(&c.Files[i], a.Remark)
				parts = append(parts, p)
			}
			for _, p := range append(parts, ofUnits(c.Files, "/", nil)...) {
				a.keep(p)
			}
			if got, found := a.state.Files[file]; !found || got != step.want {
				t.Errorf("after %q it is remembered as %q", step.text, got)
			}
		}
	}
}

func TestStateOfChanges(t *testing.T) {
	s := &state{Groups: map[string]*owned{"a": {Inode: 1}}}
	tree := &groupfs.Tree{Root: t.TempDir()}
	s.note(tree, Change{Kind: Set, Group: "a", File: "memory.max", To: "1", before: "max", path: "x"})
	s.note(tree, Change{Kind: Set, Group: "a", File: "memory.max", To: "2", before: "1", after: "8192", path: "y"})
	if got := s.Groups["a"].Settings["memory.max"]; got != (value{"max", "2", "8192", "y"}) {
		t.Errorf("%+v", got)
	}
	s.note(tree, Change{Kind: Bind, Group: "a", To: "/c", path: "x"})
	if group, path := s.holder("/c"); group != "a" || path != "x" {
		t.Errorf("%s %s", group, path)
	}
	s.note(tree, Change{Kind: Unbind, Group: "a", To: "/c"})
	s.note(tree, Change{Kind: Set, Group: "a", File: "memory.max", To: "max"})
	if group, _ := s.holder("/c"); group != "" || len(s.Groups) != 0 {
		t.Errorf("%s, %v", group, s.Groups)
	}
}

func TestChangesInWords(t *testing.T) {
	for _, c := range []struct {
		change Change
		want   string
	}{
		{Change{Kind: Make, Group: "a b"}, "make 'a b'"}, {Change{Kind: Set, Group: "a", File: "memory.max", To: "1G"}, "set a memory.max=1G"},
		{Change{Kind: Set, Group: "a", File: "memory.max", From: "max", To: "1G"}, "set a memory.max=1G (was max)"}, {Change{Kind: Bind, Group: "a", To: "/x"}, "bind a /x"},
		{Change{Kind: Remove, Group: "a"}, "remove a"},
	} {
		if got := c.change.String(); got != c.want {
			t.Errorf("%s, not %s", got, c.want)
		}
	}
}

// A mirror of a part: a path is the cgroup's all the same.
func TestPathsOnMirrorOfAPart(t *testing.T) {
	files := []conf.File{parse(t, "1", "[unit.\"/system.slice/docker-*.scope\"]\nmemory.max = 1\n")}
	if p := ofUnits(files, "/system.slice", []string{"docker-1.scope", "x"}); len(p[0].wants) != 1 || p[0].wants[0].group != "docker-1.scope" {
		t.Errorf("%+v", p)
	}
}

// What may have somebody killed comes last, and of a pair of limits neither comes alone.
func TestStages(t *testing.T) {
	var got []string
	for _, c := range []Change{
		{Kind: Make}, {Kind: Set, File: "memory.max", fresh: true}, {Kind: Set, File: "memory.low"}, {Kind: Bind}, {Kind: Unbind}, {Kind: Set, File: "memory.high"},
		{Kind: Set, File: "memory.max"}, {Kind: Set, File: "memory.memsw.limit_in_bytes"}, {Kind: Set, File: "memory.swappiness"}, {Kind: Set, File: "cgroup.max.depth"},
	} {
		got = append(got, fmt.Sprint(c.stage()))
	}
	if strings.Join(got, " ") != "0 1 2 3 3 4 4 4 5 -1" {
		t.Error(got)
	}
}

func TestMemory(t *testing.T) {
	dir, tree := t.TempDir(), &groupfs.Tree{Root: t.TempDir()}
	var m memory
	s, err := m.load(dir, tree, true)
	if err != nil || len(s.Groups) != 0 {
		t.Fatal(s, err)
	}
	s.Files["/x"] = "[group.x]\n"
	s.Groups["gone"] = &owned{Inode: 1, Made: "/x"}
	if err := m.save(dir, s); err != nil {
		t.Fatal(err)
	}
	var other memory
	if s, err = other.load(dir, tree, true); err != nil || s.Files["/x"] != "[group.x]\n" || len(s.Groups) != 0 {
		t.Errorf("%+v %v", s, err)
	}
	if c := other.conf(s); len(c.Files) != 1 || c.Files[0].Groups[0].Name != "x" {
		t.Errorf("%+v", c)
	}
	if err := os.WriteFile(dir+"/"+stateFile, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if s, err = m.load(dir, tree, false); err == nil || len(s.Files) != 0 {
		t.Errorf("%+v %v", s, err)
	}
	if _, err := os.Stat(dir + "/" + stateFile); err != nil {
		t.Error("who only looks has moved it")
	}
	if s, err = m.load(dir, tree, true); err == nil || len(s.Files) != 0 {
		t.Errorf("%+v %v", s, err)
	}
	if _, err := os.Stat(dir + "/" + stateFile + ".bad"); err != nil {
		t.Error(err)
	}
}

// What an older memward remembers is known; of a newer one's nothing is guessed, or changed.
func TestFormats(t *testing.T) {
	const files = `"saves": 3, "groups": {}, "files": {"/x": "[group.x]\n"}}`
	for text, want := range map[string]string{
		`{"module": 0, ` + files: "[group.x]\n", `{"format": 1, "module": 0, ` + files: "[group.x]\n", `{"format": 2, "module": 0, "groups": [1]}`: "refused",
		// of another module nothing counts
		`{"format": 2, "module": 1, ` + files: "", `{"format": 1, "module": 1, ` + files: "",
	} {
		dir, tree := t.TempDir(), &groupfs.Tree{Root: t.TempDir()}
		if err := os.WriteFile(dir+"/"+stateFile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		var m memory
		s, err := m.load(dir, tree, true)
		if want == "refused" {
			var advice interface{ Next() string }
			if s != nil || err == nil || !errors.As(err, &advice) || !strings.Contains(err.Error(), "format 2") {
				t.Errorf("%s: %+v, %v", text, s, err)
			}
			if left, _ := os.ReadFile(dir + "/" + stateFile); string(left) != text {
				t.Errorf("%s is %s", text, left)
			}
			continue
		}
		if err != nil || s.Files["/x"] != want {
			t.Errorf("%s: %+v, %v", text, s, err)
			continue
		}
		if err := m.save(dir, s); err != nil {
			t.Fatal(err)
		}
		if left, _ := os.ReadFile(dir + "/" + stateFile); !strings.Contains(string(left), `"format": 1`) {
			t.Errorf("%s is saved as %s", text, left)
		}
	}
}

// What has whole files in it is for nobody else to read, also where one is left that was.
func TestPrivate(t *testing.T) {
	dir, tree := t.TempDir(), &groupfs.Tree{Root: t.TempDir()}
	if err := os.WriteFile(dir+"/"+stateFile+".new", []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	var m memory
	s := newState()
	if err := s.write(dir, tree, []Change{{Kind: Make, Group: "a"}}, false); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir + "/" + diaryFile); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := m.save(dir, s); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir + "/" + stateFile); err != nil || info.Mode() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
}

// noted is what is known of each group after somebody was killed, and once more when that was saved.
func noted(t *testing.T, dir string, tree *groupfs.Tree) map[string]owned {
	t.Helper()
	var last map[string]owned
	for range 2 {
		var m memory
		s, err := m.load(dir, tree, true)
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]owned{}
		for name, o := range s.Groups {
			got[name] = owned{Made: o.Made, Settings: o.Settings, Bindings: o.Bindings}
		}
		if last != nil && !reflect.DeepEqual(got, last) {
			t.Errorf("%+v, and when it was saved %+v", last, got)
		}
		last = got
		if err := m.save(dir, s); err != nil {
			t.Fatal(err)
		}
		if _, err := os.Stat(dir + "/" + diaryFile); err == nil {
			t.Error("the diary stays when all is saved")
		}
	}
	return last
}

// What somebody has done who was killed before he could save it: each line is a step that is about to be made, or was, and what is there then.
func TestDiary(t *testing.T) {
	const mark = "made "
	for name, c := range map[string]struct {
		steps []string
		files map[string]string
		want  string
	}{
		"all":                    {[]string{"make a", mark + "make a", "set a memory.max max 1M", mark + "set a memory.max max 1M", "bind a /s", mark + "bind a /s"}, map[string]string{"a/memory.max": "1M", "a/memward.bind": "/s"}, "a:x memory.max=max/1M/1M /s"},
		"not made any more":      {[]string{"make a"}, nil, ""},
		"just made":              {[]string{"make a"}, map[string]string{"a/memory.max": "max"}, "a:x"},
		"refused, made by hand":  {[]string{"make a", "make b", mark + "make b"}, map[string]string{"a/memory.max": "max", "b/memory.max": "max"}, "b:x"},
		"not set any more":       {[]string{"set a memory.max max 1M"}, map[string]string{"a/memory.max": "max"}, ""},
		"just set":               {[]string{"set a memory.max max 1M"}, map[string]string{"a/memory.max": "1M"}, "a: memory.max=max/1M/1M"},
		"undone":                 {[]string{"set a memory.max max 1M", mark + "set a memory.max max 1M"}, map[string]string{"a/memory.max": "max"}, ""},
		"set by hand later":      {[]string{"set a memory.max max 1M", mark + "set a memory.max max 1M"}, map[string]string{"a/memory.max": "2M"}, "a: memory.max=max/1M/1M"},
		"set twice, once undone": {[]string{mark + "set a memory.max max 1M", mark + "set a memory.max 1M 2M"}, map[string]string{"a/memory.max": "1M"}, "a: memory.max=max/1M/1M"},
		"taken back":             {[]string{mark + "set a memory.max max 1M", mark + "back a memory.max 1M max"}, map[string]string{"a/memory.max": "max"}, ""},
		"not taken back":         {[]string{mark + "set a memory.max max 1M", "back a memory.max 1M max"}, map[string]string{"a/memory.max": "1M"}, "a: memory.max=max/1M/1M"},
		"the machine's":          {[]string{mark + "set a memory.swappiness 60 60"}, map[string]string{"a/memory.swappiness": "60"}, "a: memory.swappiness=60/60/60"},
		"bound":                  {[]string{"bind a /s"}, map[string]string{"a/memward.bind": "/r\n/s"}, "a: /s"},
		"not bound any more":     {[]string{"bind a /s"}, map[string]string{"a/memward.bind": "/r"}, ""},
		"unbound, undone":        {[]string{mark + "bind a /s", mark + "unbind a /s"}, map[string]string{"a/memward.bind": "/s"}, "a: /s"},
		"unbound":                {[]string{mark + "bind a /s", "unbind a /s"}, map[string]string{"a/memward.bind": ""}, ""},
		"removed":                {[]string{mark + "make a", "remove a"}, nil, ""},
	} {
		dir, tree := t.TempDir(), &groupfs.Tree{Root: t.TempDir()}
		for file, text := range c.files {
			_ = os.Mkdir(tree.Root+"/"+path.Dir(file), 0o755)
			if err := os.WriteFile(tree.Root+"/"+file, []byte(text+"\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		for _, step := range c.steps {
			step, made := strings.CutPrefix(step, mark)
			word := strings.Fields(step)
			change := Change{Kind: Kind(word[0]), Group: word[1], path: "x"}
			switch word[0] {
			case "back":
				change.Kind, change.path = Set, ""
				fallthrough
			case "set":
				change.File, change.before, change.To = word[2], word[3], word[4]
				if made {
					change.after = change.To
				}
			case "bind", "unbind":
				change.To = word[2]
			}
			s := newState()
			if change.Kind == Make && !made {
				// as it is before
				_ = os.Rename(tree.Root+"/"+word[1], tree.Root+"/later")
			}
			if err := s.write(dir, tree, []Change{change}, made); err != nil {
				t.Fatal(err)
			}
			_ = os.Rename(tree.Root+"/later", tree.Root+"/"+word[1])
		}
		if got := inWords(noted(t, dir, tree)); got != c.want {
			t.Errorf("%s: %q, not %q", name, got, c.want)
		}
	}
}

func inWords(groups map[string]owned) string {
	var words []string
	for _, name := range keys(groups) {
		words = append(words, name+":"+groups[name].Made)
		for _, file := range keys(groups[name].Settings) {
			v := groups[name].Settings[file]
			words = append(words, file+"="+v.Before+"/"+v.Set+"/"+v.Says)
		}
		words = append(words, keys(groups[name].Bindings)...)
	}
	return strings.Join(words, " ")
}

// What was noted of another state, by another module or of another group by that name, and what was not written to its end, is nothing.
func TestDiaryOfOthers(t *testing.T) {
	dir, tree := t.TempDir(), &groupfs.Tree{Root: t.TempDir()}
	for _, name := range []string{"a", "b", "c", "d"} {
		if err := os.Mkdir(tree.Root+"/"+name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	now, saved, unloaded := newState(), newState(), newState()
	saved.Saves++
	unloaded.Module++
	for _, by := range []struct {
		state *state
		group string
	}{{saved, "a"}, {unloaded, "b"}, {now, "c"}, {now, "d"}} {
		if err := by.state.write(dir, tree, []Change{{Kind: Make, Group: by.group, path: "x"}}, true); err != nil {
			t.Fatal(err)
		}
		if by.group != "c" {
			continue
		}
		if err := os.Rename(tree.Root+"/c", tree.Root+"/old"); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(tree.Root+"/c", 0o755); err != nil {
			t.Fatal(err)
		}
		file, err := os.OpenFile(dir+"/"+diaryFile, os.O_WRONLY|os.O_APPEND, 0)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprint(file, "\n{\"module\":0,\"change\":\"ma")
		file.Close()
	}
	if got := inWords(noted(t, dir, tree)); got != "d:x" {
		t.Error(got)
	}
}
