// SPDX-License-Identifier: GPL-2.0

package top

import (
	"fmt"
	"strings"

	"memward/internal/groupfs"
	"memward/internal/text"
)

// Table draws rows: no wider than width columns, or as wide as it takes if that is 0.
func Table(rows []Row, width int) string {
	table := text.Table{Width: width}
	table.Add("GROUP", "CURRENT", "USE", "LIMIT", "GROWTH/s", "SWAP", "HIGH/s", "OOM")
	bars := text.NewBars()
	for _, r := range rows {
		table.Add(groupfs.Quote(r.Name), text.Size(r.Current), bars.Draw(r.share()), text.Limit(r.limit()), growth(r.Growth), text.Size(r.Swap),
			rate(r.Slowed), fmt.Sprint(r.Events.Values["oom_kill"]))
	}
	var out strings.Builder
	_ = table.Print(&out)
	return out.String()
}

func growth(bytes int64) string {
	switch {
	case bytes > 0:
		return "+" + text.Size(bytes)
	case bytes < 0:
		return "-" + text.Size(-bytes)
	}
	return "0"
}

func rate(perSecond float64) string {
	if perSecond > 0 && perSecond < 10 {
		return fmt.Sprintf("%.1f", perSecond)
	}
	return fmt.Sprintf("%.0f", perSecond)
}

// sum is what all groups use together: those at the top have the others in them.
func sum(rows []Row) (bytes int64) {
	for _, r := range rows {
		if !strings.Contains(r.Name, "/") {
			bytes += r.Current
		}
	}
	return bytes
}
