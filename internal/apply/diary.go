// SPDX-License-Identifier: GPL-2.0

package apply

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"memward/internal/groupfs"
)

// The diary says of each step that it is about to be made, and that it was, since the state was saved last: who is killed then has made it all the same,
// and whoever comes next knows of it.  Only who has the lock writes it.
const diaryFile = stateFile + ".log"

// entry is a step with all that the state is to know of it, and the group as it was then.
type entry struct {
	Module uint64 `json:"module"`
	// Saves is that of the state before.
	Saves uint64 `json:"saves"`
	Inode uint64 `json:"inode"`
	Change
	Path   string `json:"path,omitempty"`
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	Made   bool   `json:"made"`
}

// change is the step, with all that it was.
func (e *entry) change() Change {
	e.path, e.before, e.after = e.Path, e.Before, e.After
	return e.Change
}

// write notes steps for one group.
func (s *state) write(dir string, tree *groupfs.Tree, changes []Change, made bool) error {
	var text bytes.Buffer
	e := entry{Module: s.Module, Saves: s.Saves, Made: made}
	if g, found, err := tree.Find(changes[0].Group); err == nil && found {
		e.Inode, _ = g.Inode()
	}
	for _, c := range changes {
		e.Change, e.Path, e.Before, e.After = c, c.path, c.before, c.after
		// what comes before may not be written to its end
		text.WriteByte('\n')
		if err := json.NewEncoder(&text).Encode(e); err != nil {
			return err
		}
	}
	file, err := os.OpenFile(filepath.Join(dir, diaryFile), os.O_CREATE|os.O_WRONLY|os.O_APPEND, private)
	if err != nil {
		return err
	}
	_, err = file.Write(text.Bytes())
	return errors.Join(err, file.Close())
}

// readDiary has the state know what somebody has done who could not save it any more, and says whether there is a diary.
func (s *state) readDiary(dir string, tree *groupfs.Tree) bool {
	text, err := os.ReadFile(filepath.Join(dir, diaryFile))
	if err != nil {
		return false
	}
	var entries []entry
	for line := range bytes.Lines(text) {
		var e entry
		if err := json.Unmarshal(line, &e); err == nil && e.Module == s.Module && e.Saves == s.Saves {
			entries = append(entries, e)
		}
	}
	// of what was about to be made the end alone may have been: what comes after the rest says so, or it was refused
	end := 0
	for i := range entries {
		if entries[i].Made {
			end = i + 1
		}
	}
	for i := range entries {
		if e := &entries[i]; (e.Made || i >= end) && e.holds(tree) {
			s.note(tree, e.change())
		}
	}
	return true
}

// holds says whether a step is seen to have been made, and was not undone.
func (e *entry) holds(tree *groupfs.Tree) bool {
	g, found, err := tree.Find(e.Group)
	if err != nil {
		return false
	}
	if !found {
		return e.Kind == Remove
	}
	ino, err := g.Inode()
	if err != nil {
		return false
	}
	if e.Kind == Make && !e.Made {
		return e.Inode == 0
	}
	if ino != e.Inode {
		return e.Kind == Remove
	}
	switch e.Kind {
	case Set:
		return e.isSet(g)
	case Bind, Unbind:
		now, err := g.Bindings()
		return err == nil && slices.Contains(now, e.To) == (e.Kind == Bind)
	}
	return e.Kind == Make
}

func (e *entry) isSet(g groupfs.Group) bool {
	now, err := g.Read(e.File)
	if err != nil || now == e.Before && e.Before != e.After {
		return false
	}
	if !e.Made {
		e.After = now
	}
	return true
}

// dropDiary is for when the state knows all of it, or cannot be saved: then there is no end of it.
func dropDiary(dir string) error {
	err := os.Remove(filepath.Join(dir, diaryFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
