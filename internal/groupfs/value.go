// SPDX-License-Identifier: GPL-2.0

package groupfs

import (
	"encoding/json"
	"strconv"
	"strings"
)

// Limit is a number of bytes, or none: memward's files say "max" then.
type Limit struct {
	Bytes int64
	Set   bool
}

// ParseLimit reads what a file says.
func ParseLimit(text string) (Limit, error) {
	if text == "max" {
		return Limit{}, nil
	}
	bytes, err := strconv.ParseInt(text, 10, 64)
	return Limit{bytes, err == nil}, err
}

// MarshalJSON writes a number, or null for none.
func (l Limit) MarshalJSON() ([]byte, error) {
	if !l.Set {
		return []byte("null"), nil
	}
	return json.Marshal(l.Bytes)
}

// Counts are lines of a name and a number each, in their order.
type Counts struct {
	Names  []string
	Values map[string]int64
}

// ParseCounts reads such lines; what is none is left out.
func ParseCounts(text string) Counts {
	counts := Counts{Values: map[string]int64{}}
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		number, err := strconv.ParseInt(value, 10, 64)
		if err != nil {
			continue
		}
		counts.Names = append(counts.Names, name)
		counts.Values[name] = number
	}
	return counts
}

// MarshalJSON writes an object, in which the order is lost.
func (c Counts) MarshalJSON() ([]byte, error) {
	if c.Values == nil {
		return []byte("{}"), nil
	}
	return json.Marshal(c.Values)
}

// IsZero says whether nothing was ever counted.
func (c Counts) IsZero() bool {
	for _, value := range c.Values {
		if value != 0 {
			return false
		}
	}
	return true
}
