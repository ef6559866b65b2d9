// SPDX-License-Identifier: GPL-2.0

package groupfs

import (
	"errors"
	"os"
	"strings"
)

// Watch looks at all groups again and again, with little effort for each: what changes all the time is read from
// files that stay open, what somebody has to change only now and then.
type Watch struct {
	tree   *Tree
	groups map[string]*watched
	looks  int
}

// limitsEvery is with which look the limits are read again.
const limitsEvery = 5

// watched is a group that was there at the last look.
type watched struct {
	current, swap, events *os.File
	usage                 Usage
	seen                  int
}

// NewWatch begins to look at the groups of a tree.
func NewWatch(tree *Tree) *Watch { return &Watch{tree: tree, groups: map[string]*watched{}} }

// Look returns the groups that there are, but for the root, each above those below it.
func (w *Watch) Look() ([]Usage, error) {
	w.looks++
	root, err := w.tree.Group("/")
	if err != nil {
		return nil, err
	}
	var usages []Usage
	err = w.tree.Walk(root, -1, func(g Group) error {
		if g.IsRoot() {
			return nil
		}
		usage, err := w.usage(g)
		if err == nil {
			usages = append(usages, usage)
		}
		return err
	})
	w.forget()
	return usages, err
}

// Close ends it.
func (w *Watch) Close() {
	w.looks++
	w.forget()
}

// forget closes the files of those that the last look has not seen.
func (w *Watch) forget() {
	for name, one := range w.groups {
		if one.seen != w.looks {
			one.close()
			delete(w.groups, name)
		}
	}
}

func (w *Watch) usage(g Group) (Usage, error) {
	one := w.groups[g.name]
	if one != nil && one.refresh() == nil {
		if (w.looks+int(one.current.Fd()))%limitsEvery == 0 {
			one.limits(g)
		}
		one.seen = w.looks
		return one.usage, nil
	}
	// it is new, or was removed and made again
	if one != nil {
		one.close()
		delete(w.groups, g.name)
	}
	one, err := open(g)
	if err != nil {
		return Usage{}, err
	}
	one.seen = w.looks
	w.groups[g.name] = one
	return one.usage, nil
}

func open(g Group) (*watched, error) {
	one := &watched{usage: Usage{Name: g.name}}
	for file, to := range map[string]**os.File{
		"memory.current": &one.current, "memory.swap.current": &one.swap, "memory.events": &one.events,
	} {
		f, err := os.Open(g.file(file))
		if err != nil {
			one.close()
			return nil, explain(g, file, err)
		}
		*to = f
	}
	err := one.refresh()
	if err == nil {
		err = one.limits(g)
	}
	if err != nil {
		one.close()
		return nil, explain(g, "memory.current", err)
	}
	return one, nil
}

func (one *watched) close() {
	for _, f := range []*os.File{one.current, one.swap, one.events} {
		if f != nil {
			f.Close()
		}
	}
}

func (one *watched) refresh() error {
	current, err1 := number(one.current)
	swap, err2 := number(one.swap)
	events, err3 := again(one.events)
	one.usage.Current, one.usage.Swap, one.usage.Events = current.Bytes, swap.Bytes, ParseCounts(events)
	return errors.Join(err1, err2, err3)
}

func (one *watched) limits(g Group) error {
	r := reader{group: g}
	one.usage.Min, one.usage.Low = r.limit("memory.min"), r.limit("memory.low")
	one.usage.High, one.usage.Max = r.limit("memory.high"), r.limit("memory.max")
	return r.err
}

// again reads a small file from its beginning.
func again(f *os.File) (string, error) {
	var buf [512]byte
	n, err := f.ReadAt(buf[:], 0)
	// the end of a file is before the end of the room
	if n > 0 {
		err = nil
	}
	return string(buf[:n]), err
}

func number(f *os.File) (Limit, error) {
	text, err := again(f)
	if err != nil {
		return Limit{}, err
	}
	return ParseLimit(strings.TrimSuffix(text, "\n"))
}
