// SPDX-License-Identifier: GPL-2.0

// Package manual makes manual pages: of the commands, and of documents in Markdown.
package manual

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// What holds for all commands and no help text says.
const rest = `# Exit status

0, or 1 if it has failed, or 2 if it was called wrongly. That of **memward run** is the program's, and **memward status** has one for
each answer; see there.

# Files

**/sys/fs/memward**
: where memward is mounted if nobody says where. The files in it are described in memward-files(5).

`

// Commands is one document of all that may be typed, in Markdown.
func Commands(root *cobra.Command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# Synopsis\n\n**%s** [*OPTION*]... *COMMAND* [*ARGUMENT*]...\n\n", root.Name())
	fmt.Fprintf(&b, "# Description\n\n%s\n\n", prose(root.Long))
	for _, group := range root.Groups() {
		fmt.Fprintf(&b, "# Commands for %s\n\n", strings.TrimSuffix(group.Title, ":"))
		for _, sub := range root.Commands() {
			if sub.GroupID == group.ID && sub.IsAvailableCommand() {
				writeCommand(&b, sub)
			}
		}
	}
	fmt.Fprintf(&b, "# Options of all commands\n\n")
	writeOptions(&b, root.PersistentFlags())
	fmt.Fprintf(&b, "**-h**, **--help**\n: say what a command is for, and which options it has\n\n")
	fmt.Fprintf(&b, "**-v**, **--version**\n: say which version this is; without a command\n\n")
	b.WriteString(rest)
	return b.String()
}

func writeCommand(b *strings.Builder, cmd *cobra.Command) {
	use := strings.TrimSuffix(cmd.UseLine(), " [flags]")
	fmt.Fprintf(b, "### %s\n\n%s\n\n", escape(use), prose(cmd.Long))
	if len(cmd.Aliases) > 0 {
		fmt.Fprintf(b, "It may be called %s as well.\n\n", escape(strings.Join(cmd.Aliases, " or ")))
	}
	writeOptions(b, cmd.LocalFlags())
}

func writeOptions(b *strings.Builder, flags *pflag.FlagSet) {
	flags.VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden && flag.Name != "help" && flag.Name != "version" {
			fmt.Fprintf(b, "%s\n: %s\n\n", term(flag), description(flag))
		}
	})
}

// term is how an option is typed.
func term(flag *pflag.Flag) string {
	var short string
	if flag.Shorthand != "" {
		short = "**-" + flag.Shorthand + "**, "
	}
	name, _ := pflag.UnquoteUsage(flag)
	// where the value may be left out, that which it has then is a part of the name
	name, _, _ = strings.Cut(name, "[")
	switch {
	case flag.Value.Type() == "bool":
		return short + "**--" + flag.Name + "**"
	case flag.NoOptDefVal != "":
		return short + "**--" + flag.Name + "**[=*" + escape(name) + "*]"
	}
	return short + "**--" + flag.Name + "** *" + escape(name) + "*"
}

// What an option has if nobody gives it is not worth a word where that is nothing.
var nothing = []string{"", "false", "0", "-1", "[]"}

func description(flag *pflag.Flag) string {
	_, usage := pflag.UnquoteUsage(flag)
	if !slices.Contains(nothing, flag.DefValue) {
		usage += " (default " + flag.DefValue + ")"
	}
	return prose(usage)
}

var special = regexp.MustCompile("[\\\\`*_{}\\[\\]#|<>~^]")

// escape is text for Markdown that shows as it is.
func escape(text string) string { return special.ReplaceAllString(text, `\$0`) }

var option = regexp.MustCompile(`(^|[\s(])(--?[a-zA-Z][\w-]*)`)

// prose is what a help text says, in Markdown: its examples are indented there too.
func prose(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if !strings.HasPrefix(line, "    ") {
			lines[i] = option.ReplaceAllString(escape(line), "$1**$2**")
		}
	}
	return strings.Join(lines, "\n")
}
