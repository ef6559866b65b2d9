// SPDX-License-Identifier: GPL-2.0

// Package uapi is what the module and the command agree on: the header, as it is.
package uapi

import _ "embed" // the header

// Header is include/uapi/memward.h.
//
//go:embed memward.h
var Header string
