// SPDX-License-Identifier: GPL-2.0

package groupfs

import (
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// Reclaim asks a group for memory back and returns how many bytes came of it.
//
// size is what the kernel takes for one, or "max" for all there is.  swappiness is "" for the group's own.
// What others reclaim there by the same files at the same time counts too.
func (g Group) Reclaim(size, swappiness string) (int64, error) {
	before, err := g.reclaimed()
	if err != nil {
		return 0, err
	}
	err = g.writeReclaim(size, swappiness)
	// less than was asked for is no error here: the number says it
	if isErrno(err, syscall.EAGAIN, syscall.EINTR) {
		err = nil
	}
	after, readErr := g.reclaimed()
	if err == nil {
		err = readErr
	}
	return after - before, err
}

func (g Group) writeReclaim(size, swappiness string) error {
	switch {
	case size != "max" && swappiness != "":
		return g.Write("memory.reclaim", size+" swappiness="+swappiness)
	case size != "max":
		return g.Write("memory.reclaim", size)
	case swappiness != "":
		return fmt.Errorf("max takes no swappiness: say how much is to be reclaimed")
	}
	return g.Write("memory.swap.reclaim", "max")
}

// reclaimed is what was reclaimed because somebody has asked for it, since the group was made.
func (g Group) reclaimed() (int64, error) {
	text, err := g.Read("memory.stat")
	return ParseCounts(text).Values["pgsteal_proactive"] * int64(os.Getpagesize()), err
}

// ParseSize reads a number of bytes with a suffix, as memward's files do.
func ParseSize(text string) (int64, error) {
	const suffixes = "KMGTPE"
	number, shift := text, 0
	if last := len(text) - 1; last > 0 {
		for i, suffix := range suffixes {
			if rune(text[last])&^0x20 == suffix {
				number, shift = text[:last], 10*(i+1)
			}
		}
	}
	bytes, err := strconv.ParseInt(number, 10, 64)
	if err != nil || bytes < 0 || bytes<<shift>>shift != bytes {
		return 0, fmt.Errorf("%s is no size, such as 100M", Quote(text))
	}
	return bytes << shift, nil
}
