// SPDX-License-Identifier: GPL-2.0

// memward drives the kernel module of that name.
package main

import (
	"os"

	"memward/internal/cli"
)

func main() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) }
