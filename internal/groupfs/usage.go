// SPDX-License-Identifier: GPL-2.0

package groupfs

// Usage is what a group uses and may use.
type Usage struct {
	Name    string `json:"group"`
	Current int64  `json:"memory.current"`
	Swap    int64  `json:"memory.swap.current"`
	Min     Limit  `json:"memory.min"`
	Low     Limit  `json:"memory.low"`
	High    Limit  `json:"memory.high"`
	Max     Limit  `json:"memory.max"`
	Events  Counts `json:"memory.events"`
}

// Usage reads it.  The root has no limits and counts no swap.
func (g Group) Usage() (Usage, error) {
	u := Usage{Name: g.name}
	r := reader{group: g}
	u.Current = r.number("memory.current")
	u.Events = ParseCounts(r.text("memory.events"))
	if !g.IsRoot() {
		u.Swap = r.number("memory.swap.current")
		u.Min, u.Low = r.limit("memory.min"), r.limit("memory.low")
		u.High, u.Max = r.limit("memory.high"), r.limit("memory.max")
	}
	return u, r.err
}

// reader reads one file after another until one cannot be read.
type reader struct {
	group Group
	err   error
}

func (r *reader) text(file string) string {
	if r.err != nil {
		return ""
	}
	var text string
	text, r.err = r.group.Read(file)
	return text
}

func (r *reader) limit(file string) Limit {
	text := r.text(file)
	if r.err != nil {
		return Limit{}
	}
	limit, err := ParseLimit(text)
	r.err = err
	return limit
}

func (r *reader) number(file string) int64 { return r.limit(file).Bytes }

// Summary is what a group has used until now.
type Summary struct {
	Peak     int64  `json:"memory.peak"`
	SwapPeak int64  `json:"memory.swap.peak"`
	Stall    int64  `json:"high_stall_usec"`
	Events   Counts `json:"memory.events"`
}

// Summary reads it; not of the root.
func (g Group) Summary() (Summary, error) {
	r := reader{group: g}
	s := Summary{
		Peak:     r.number("memory.peak"),
		SwapPeak: r.number("memory.swap.peak"),
		Events:   ParseCounts(r.text("memory.events")),
		Stall:    ParseCounts(r.text("memory.stat")).Values["high_stall_usec"],
	}
	return s, r.err
}
