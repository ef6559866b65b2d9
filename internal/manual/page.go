// SPDX-License-Identifier: GPL-2.0

package manual

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/cpuguy83/go-md2man/v2/md2man"
)

// Head is what stands above and below a page's text.
type Head struct {
	Name, Section string
	// What it is about, in some words.
	What string
	// Date is as 2006-01-31.
	Date, Version string
	// See are other pages, as memward(8).
	See []string
}

// Page is a manual page, for man, of a document in Markdown. The document's title and what is before it are left out.
func Page(head Head, document string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%% %q %q %q %q %q\n\n", strings.ToUpper(head.Name), head.Section, head.Date, "memward "+head.Version, "memward")
	fmt.Fprintf(&b, "# NAME\n\n%s - %s\n\n", escape(head.Name), escape(head.What))
	b.WriteString(withSections(document))
	if len(head.See) > 0 {
		fmt.Fprintf(&b, "\n# SEE ALSO\n\n%s\n", references(head.See))
	}
	return tidy(string(md2man.Render([]byte(b.String()))))
}

func references(pages []string) string {
	var words []string
	for _, page := range pages {
		name, section, _ := strings.Cut(page, "(")
		words = append(words, "**"+name+"**("+section)
	}
	return strings.Join(words, ", ")
}

var (
	comment = regexp.MustCompile(`(?s)<!--.*?-->\n?`)
	title   = regexp.MustCompile(`(?s)^\s*# [^\n]*\n`)
	heading = regexp.MustCompile(`^(#+) (.*)$`)
	link    = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	ruler   = regexp.MustCompile(`^\|(-+\|)+$`)
	row     = regexp.MustCompile(`^\| (.*?) \| (.*?) ?\|$`)
)

// withSections has the document's headings become those of a page, and its links, which lead nowhere there, their text. A document that
// begins with text, after its title, begins with a description.
func withSections(document string) string {
	document = comment.ReplaceAllString(document, "")
	if title.MatchString(document) && !isSection(document) {
		document = strings.TrimLeft(title.ReplaceAllString(document, ""), "\n")
		if !strings.HasPrefix(document, "#") {
			document = "## Description\n\n" + document
		}
		document = strings.ReplaceAll("\n"+document, "\n## ", "\n# ")
	}
	var lines []string
	for _, block := range strings.Split(document, "\n\n") {
		lines = append(lines, inBlock(block), "")
	}
	return strings.Join(lines, "\n")
}

// isSection says of a document that it has no title, but sections.
func isSection(document string) bool { return strings.Count("\n"+document, "\n# ") > 1 }

// pages are the documents that there are pages of.
var pages = strings.NewReplacer("[files.md](", "[**memward-files**(5)](", "[conf.md](", "[**memward.conf**(5)](")

// inBlock does it for what is between two empty lines.
func inBlock(block string) string {
	if strings.HasPrefix(block, "    ") {
		return block
	}
	if table := asList(block); table != "" {
		block = table
	}
	lines := strings.Split(link.ReplaceAllString(pages.Replace(block), "$1"), "\n")
	for i, line := range lines {
		if found := heading.FindStringSubmatch(line); found != nil && found[1] == "#" {
			lines[i] = "# " + strings.ToUpper(found[2])
		}
	}
	return strings.Join(lines, "\n")
}

// asList makes of a table with two columns what a page has for it, a list of terms: its text is as wide as the window.
func asList(block string) string {
	lines := strings.Split(strings.TrimSpace(block), "\n")
	if len(lines) < 3 || !ruler.MatchString(lines[1]) || strings.Count(lines[1], "|") != 3 {
		return ""
	}
	var items []string
	for _, line := range lines[2:] {
		cells := row.FindStringSubmatch(line)
		if cells == nil {
			return ""
		}
		items = append(items, cells[1]+"\n: "+cells[2]+"\n")
	}
	return strings.Join(items, "\n")
}
