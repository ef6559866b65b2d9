// SPDX-License-Identifier: GPL-2.0

package cli

import (
	"errors"
	"fmt"
	"io"

	"golang.org/x/sys/unix"
)

// output is where a command says what it has to say, and remembers if that could not be written: who prints line by line need not look.
type output struct {
	to   io.Writer
	lost *lostError
}

func (o *output) Write(text []byte) (int, error) {
	n, err := o.to.Write(text)
	if err == nil {
		return n, nil
	}
	if o.lost == nil {
		o.lost = &lostError{err}
	}
	return n, o.lost
}

// lostError says that something was not said.
type lostError struct{ err error }

func (e *lostError) Error() string {
	return fmt.Sprintf("not all that it says could be written: %v", e.err)
}

func (e *lostError) Unwrap() error { return e.err }

// Next is what whoever reads it can do.
func (e *lostError) Next() string { return "what it was to do is done; df says whether a disk is full" }

// isUnread says that whoever has read it reads no more, which is not worth a word.
func (e *lostError) isUnread() bool { return errors.Is(e.err, unix.EPIPE) }

// statusUnread is what a shell says of who was ended because nobody reads what it writes.
const statusUnread = 128 + int(unix.SIGPIPE)
