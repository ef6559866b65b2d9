// SPDX-License-Identifier: GPL-2.0

package text

import (
	"fmt"
	"strings"
)

// Bars draws how much of something there is.
type Bars struct{ full, empty string }

// NewBars draws with blocks, or, where the locale has none, with what is on every keyboard.
func NewBars() Bars {
	if isUnicode() {
		return Bars{"█", "░"}
	}
	return Bars{"#", "."}
}

const barWidth = 10

// Draw draws a share: 1 for all of it; a negative one is not drawn.
func (b Bars) Draw(share float64) string {
	if share < 0 {
		return ""
	}
	full := min(int(share*barWidth+0.5), barWidth)
	return fmt.Sprintf("%s%s %3.0f%%", strings.Repeat(b.full, full), strings.Repeat(b.empty, barWidth-full), min(share*100, 999))
}
