// SPDX-License-Identifier: GPL-2.0

package groupfs

import (
	"regexp"
	"sync"

	"memward/include/uapi"
)

// fileNames are the names of all files that a group can have.
var fileNames = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^#define MEMWARD_\w+\s+"(tasks|(?:cgroup|memory|memward)\.[a-z_.]+)"$`).FindAllStringSubmatch(uapi.Header, -1) {
		names[match[1]] = true
	}
	return names
})
