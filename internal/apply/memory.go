// SPDX-License-Identifier: GPL-2.0

package apply

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"memward/internal/conf"
	"memward/internal/groupfs"
)

// Run is where what was applied is remembered, as long as the machine runs.
const Run = "/run/memward"

const stateFile = "applied.json"

// Lock has nobody apply anything until it is undone.
func Lock() (unlock func(), err error) { return lock(Run) }

// lock has one at a time apply something, or forget it, which removes the file: whoever has waited for that one tries again.
func lock(dir string) (unlock func(), err error) {
	for {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return nil, err
		}
		name := filepath.Join(dir, "lock")
		file, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o600)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		for err = unix.EINTR; errors.Is(err, unix.EINTR); {
			err = unix.Flock(int(file.Fd()), unix.LOCK_EX)
		}
		if err == nil && isAt(file, name) {
			return func() { file.Close() }, nil
		}
		file.Close()
		if err != nil {
			return nil, err
		}
	}
}

func isAt(file *os.File, name string) bool {
	mine, err := file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(name)
	return err == nil && os.SameFile(mine, there)
}

// Forget is for when there are no groups any more, and nobody can apply anything.
func Forget() error {
	for _, name := range []string{stateFile, stateFile + ".new", stateFile + ".bad", diaryFile, "lock"} {
		if err := os.Remove(filepath.Join(Run, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	_ = os.Remove(Run)
	return nil
}

// memory is what was read, or written, of the file last: who looks at one unit after the other need not read it anew if nobody else has
// written it.
type memory struct {
	text  []byte
	state *state
	rules *conf.Conf
	files map[string]string
	// isBehind says that there was more to be known than what was read.
	isBehind bool
}

// load reads what was applied; what is of another module, or of groups that have gone, was not.  If it cannot be read that is said, and nothing is
// known.
func (m *memory) load(dir string, tree *groupfs.Tree, mayMove bool) (*state, error) {
	s, err := m.read(dir, tree, mayMove)
	m.isBehind = s != nil && s.readDiary(dir, tree)
	return s, err
}

func (m *memory) read(dir string, tree *groupfs.Tree, mayMove bool) (*state, error) {
	file := filepath.Join(dir, stateFile)
	text, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		*m = memory{}
		return newState(), nil
	}
	if err == nil && m.state != nil && m.state.Module == moduleNow() && bytes.Equal(text, m.text) {
		m.state.forgetGone(tree)
		return m.state, nil
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil, &groupfs.PermissionError{What: "reading what was applied, which is remembered in " + dir}
	}
	if err != nil {
		return nil, fmt.Errorf("what was applied before cannot be read: %w", err)
	}
	if err := checkFormat(text); err != nil {
		return nil, err
	}
	s := newState()
	if err := json.Unmarshal(text, s); err != nil {
		if mayMove {
			_ = os.Rename(file, file+".bad")
		}
		return newState(), fmt.Errorf("what was applied before is not known, and stays: %w (%s.bad)", err, file)
	}
	// it may have had none
	s.Format = formatNow
	m.text, m.state = text, s
	if s.Module != moduleNow() || s.Groups == nil || s.Files == nil {
		return newState(), nil
	}
	s.forgetGone(tree)
	return s, nil
}

// checkFormat refuses what a newer memward has written of the module that is loaded: of what it has made nothing would be known any more.
func checkFormat(text []byte) error {
	var head struct {
		Format int    `json:"format"`
		Module uint64 `json:"module"`
	}
	if err := json.Unmarshal(text, &head); err != nil || head.Format <= formatNow || head.Module != moduleNow() {
		return nil
	}
	return groupfs.Advise("apply it with that one, or begin anew: systemctl restart memward, or memward unload --remove-groups && memward mount",
		"what was applied is remembered in format %d, by a newer memward: this one knows %d", head.Format, formatNow)
}

func (s *state) forgetGone(tree *groupfs.Tree) {
	for name, o := range s.Groups {
		if !o.isOf(tree, name) {
			delete(s.Groups, name)
		}
	}
}

// save has all of it known to whoever comes next.  Who is killed before the diary is gone has one that is not of what was saved.
func (m *memory) save(dir string, s *state) error {
	err := m.write(dir, s)
	return errors.Join(err, dropDiary(dir))
}

func (s *state) text() ([]byte, error) {
	text, err := json.MarshalIndent(s, "", "  ")
	return append(text, '\n'), err
}

func (m *memory) write(dir string, s *state) error {
	text, err := s.text()
	if err != nil {
		return err
	}
	if bytes.Equal(text, m.text) {
		m.state = s
		return nil
	}
	s.Saves++
	if text, err = s.text(); err == nil {
		err = replace(filepath.Join(dir, stateFile), text)
	}
	if err != nil {
		s.Saves--
		return err
	}
	m.text, m.state = text, s
	return nil
}

// private is for what has whole files of the configuration in it, which need not be for everybody to read.
const private = 0o600

func replace(name string, text []byte) error {
	file, err := os.OpenFile(name+".new", os.O_CREATE|os.O_WRONLY|os.O_TRUNC, private)
	if err != nil {
		return err
	}
	// one that was left may be for everybody
	if err = file.Chmod(private); err == nil {
		_, err = file.Write(text)
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	return os.Rename(name+".new", name)
}

// conf is the configuration as it was applied last.
func (m *memory) conf(s *state) *conf.Conf {
	if m.rules == nil || !maps.Equal(m.files, s.Files) {
		m.rules, m.files = conf.Of(s.Files), maps.Clone(s.Files)
	}
	return m.rules
}
