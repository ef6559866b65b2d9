// SPDX-License-Identifier: GPL-2.0

package manual

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// sample is a command with one below it, which has an option of each kind.
func sample() *cobra.Command {
	root := &cobra.Command{Use: "tool", Short: "Do things", Long: "Does *things*, with --all more.\n\n    tool cut -n 3    # *three*"}
	root.AddGroup(&cobra.Group{ID: "x", Title: "Things:"})
	cut := &cobra.Command{Use: "cut THING [FILE=VALUE]...", Long: "Cuts a thing.", Aliases: []string{"c"}, GroupID: "x", Run: func(*cobra.Command, []string) {}}
	cut.Flags().IntP("number", "n", 2, "cut it into `N` parts")
	cut.Flags().Bool("quiet", false, "say nothing")
	cut.Flags().String("like", "", "cut it like `THAT`")
	cut.Flags().Lookup("like").NoOptDefVal = "a cake"
	root.AddCommand(cut)
	root.PersistentFlags().Bool("json", false, "for programs")
	return root
}

func has(t *testing.T, page string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(page, part) {
			t.Errorf("there is no %q in:\n%s", part, page)
		}
	}
}

func TestCommands(t *testing.T) {
	page := Page(Head{Name: "tool", Section: "8", What: "do things", Date: "2026-11-28", Version: "1.2", See: []string{"other-tool(5)", "x(1)"}}, Commands(sample()))
	has(t, page,
		".TH \"TOOL\" \"8\" \"2026-11-28\" \"memward 1.2\"", ".SH NAME\ntool \\- do things\n", "Does *things*, with \\fB\\-\\-all\\fP more.",
		".RS 4\n.EX\ntool cut \\-n 3    # *three*\n.EE\n.RE\n", ".SH COMMANDS FOR THINGS\n.SS tool cut THING [FILE=VALUE]", "called c as well",
		".TP\n\\fB\\-n\\fP, \\fB\\-\\-number\\fP \\fIN\\fP\ncut it into N parts (default 2)\n", "\\fB\\-\\-quiet\\fP\nsay nothing\n",
		"\\fB\\-\\-like\\fP[=\\fITHAT\\fP]\n", "\\fB\\-\\-json\\fP\nfor programs\n", ".SH SEE ALSO\n\\fBother\\-tool\\fP(5), \\fBx\\fP(1)\n")
	if strings.Contains(page, "\n\n") || strings.Contains(page, ".PP\n.TP") {
		t.Error("there is an empty paragraph in:\n" + page)
	}
}

func TestDocument(t *testing.T) {
	page := Page(Head{Name: "x.conf", Section: "5", What: "x"}, `<!-- made by
something -->
# The files

Everything ([files.md](files.md#x)), see [below](#below) or `+"`memory.max`"+`.

## Below it

| key | |
|---|---|
| `+"`anon`"+`, other | anonymous memory; a [link](x.md) |
| second | two words |

### a.file

    [not a](link) -x
    ## not a heading
`)
	has(t, page, ".SH DESCRIPTION\nEverything (\\fBmemward\\-files\\fP(5)), see below or \\fB\\%memory.max\\fR", ".SH BELOW IT\n",
		".TP\n\\fBanon\\fR, other\nanonymous memory; a link\n.TP\nsecond\ntwo words\n", ".SS a.file\n", "[not a](link) \\-x\n## not a heading\n.EE")
	for _, part := range []string{"made by", "The files", "|"} {
		if strings.Contains(page, part) {
			t.Errorf("there is %q in:\n%s", part, page)
		}
	}
}
