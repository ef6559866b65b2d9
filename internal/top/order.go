// SPDX-License-Identifier: GPL-2.0

// Package top shows which groups use how much, again and again.
package top

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"memward/internal/groupfs"
)

// Row is a group at one look.
type Row struct {
	groupfs.Usage
	// Growth is in bytes a second.
	Growth int64 `json:"growth"`
	// Slowed is how often a second somebody was slowed down above memory.high.
	Slowed float64 `json:"high_per_second"`
}

// Sampler looks, and compares with what it has seen before.
type Sampler struct {
	watch  *groupfs.Watch
	before map[string]groupfs.Usage
	when   time.Time
}

// NewSampler looks at the groups of a tree.
func NewSampler(tree *groupfs.Tree) *Sampler { return &Sampler{watch: groupfs.NewWatch(tree)} }

// Close ends it.
func (s *Sampler) Close() { s.watch.Close() }

// Look returns all groups now.
func (s *Sampler) Look() ([]Row, error) {
	usages, err := s.watch.Look()
	if err != nil {
		return nil, err
	}
	now := time.Now()
	rows := make([]Row, len(usages))
	before := make(map[string]groupfs.Usage, len(usages))
	for i, usage := range usages {
		rows[i] = Row{Usage: usage}
		if old, found := s.before[usage.Name]; found {
			rows[i].compare(old, now.Sub(s.when).Seconds())
		}
		before[usage.Name] = usage
	}
	s.before, s.when = before, now
	return rows, nil
}

func (r *Row) compare(old groupfs.Usage, seconds float64) {
	if seconds <= 0 {
		return
	}
	r.Growth = int64(float64(r.Current-old.Current) / seconds)
	// one that was removed and made again begins anew
	if high := r.Events.Values["high"] - old.Events.Values["high"]; high > 0 {
		r.Slowed = float64(high) / seconds
	}
}

// Orders are what rows can be sorted by.
var Orders = []string{"current", "swap", "growth", "high", "limit", "name"}

// CheckOrder says whether there is such an order.
func CheckOrder(order string) error {
	if !slices.Contains(Orders, order) {
		return fmt.Errorf("there is no order %s, but %s", groupfs.Quote(order), strings.Join(Orders, ", "))
	}
	return nil
}

// Sort sorts rows, the largest first, and those that are the same by name.
func Sort(rows []Row, order string, reverse bool) {
	slices.SortStableFunc(rows, func(a, b Row) int {
		c := compareBy(order, a, b)
		if reverse {
			c = -c
		}
		return cmp.Or(c, cmp.Compare(a.Name, b.Name))
	})
}

func compareBy(order string, a, b Row) int {
	switch order {
	case "swap":
		return cmp.Compare(b.Swap, a.Swap)
	case "growth":
		return cmp.Compare(b.Growth, a.Growth)
	case "high":
		return cmp.Compare(b.Slowed, a.Slowed)
	case "limit":
		return cmp.Compare(b.share(), a.share())
	case "name":
		return cmp.Compare(a.Name, b.Name)
	}
	return cmp.Compare(b.Current, a.Current)
}

// limit is the lower of memory.high and memory.max.
func (r Row) limit() groupfs.Limit {
	if r.High.Set && (!r.Max.Set || r.High.Bytes < r.Max.Bytes) {
		return r.High
	}
	return r.Max
}

// share is how much of its limit a group uses: 1 for all of it, -1 if it has none.
func (r Row) share() float64 {
	limit := r.limit()
	switch {
	case !limit.Set:
		return -1
	case limit.Bytes == 0:
		return 1
	}
	return float64(r.Current) / float64(limit.Bytes)
}
