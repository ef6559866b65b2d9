# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
# TAP of the tests that run on the host. Sourced, by who has set suite; failed is its exit status.
nr=0 failed=0

# is WHAT GOT WANT
is() {
	nr=$((nr + 1))
	[ "$2" != "$3" ] || { echo "ok $nr - $suite: $1"; return; }
	echo "# '$2', not '$3'"
	echo "not ok $nr - $suite: $1"
	failed=1
}
