// SPDX-License-Identifier: GPL-2.0

// memward-man makes the manual pages when packages are built. It is no part of them.
//
//	memward-man [-date D] [-version V] [-see PAGE,...] -what TEXT NAME.SECTION <FILE
//	memward-man [-date D] [-version V] [-see PAGE,...] -commands NAME.SECTION
//
// prints the page of a document in Markdown, or that of the command memward.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"

	"memward/internal/cli"
	"memward/internal/manual"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintf(os.Stderr, "memward-man: %v\n", err)
		os.Exit(1)
	}
}

func run() error {
	var head manual.Head
	var see string
	var commands bool
	flag.StringVar(&head.What, "what", "", "what the page is about")
	flag.StringVar(&head.Date, "date", "", "its date")
	flag.StringVar(&head.Version, "version", "", "the version of memward")
	flag.StringVar(&see, "see", "", "other pages")
	flag.BoolVar(&commands, "commands", false, "make the page of the command memward")
	flag.Parse()
	dot := strings.LastIndex(flag.Arg(0), ".")
	if flag.NArg() != 1 || dot < 0 {
		return errors.New("usage: memward-man [OPTION]... NAME.SECTION")
	}
	head.Name, head.Section = flag.Arg(0)[:dot], flag.Arg(0)[dot+1:]
	if see != "" {
		head.See = strings.Split(see, ",")
	}
	text, err := document(&head, commands)
	if err != nil {
		return err
	}
	_, err = fmt.Print(manual.Page(head, text))
	return err
}

// document is what the page says. What the command is about it says itself.
func document(head *manual.Head, commands bool) (string, error) {
	if !commands {
		content, err := io.ReadAll(os.Stdin)
		return string(content), err
	}
	root := cli.Command()
	head.What = strings.ToLower(root.Short[:1]) + root.Short[1:]
	return manual.Commands(root), nil
}
