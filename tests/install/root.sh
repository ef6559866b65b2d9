# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
# A root of a kernel's release to install something in, and a test of it. Sourced by tests/install/run and tests/package/run,
# which set what, the name of their tests, top and tree, what belongs to the tests there.
nr=0

# --- the root ------------------------------------------------------------------------------------------------------

make_root() {
	local answer base
	answer=$("$top/scripts/machine/root" "$1")
	read -r base kver <<<"$answer"
	root=$work/root
	mkdir -p "$work"/{upper,work,root}
	if mount -t overlay overlay -o "lowerdir=$base,upperdir=$work/upper,workdir=$work/work" "$root" 2>/dev/null; then
		# the base must not change under an overlay
		exec 8>"$MW_CACHE/lock/module-${base##*/}"
		flock 8
	else
		cp -a --reflink=auto "$base/." "$root/"
	fi
	mount -t proc proc "$root/proc"
	clean_root
}

# Of what scripts/machine/module has built there.
clean_root() {
	rm -rf "$root"/usr/src/memward-* "$root/var/lib/dkms/memward" "$root/lib/modules/$kver/updates"
	in_root depmod "$kver"
}

# dkms leaves something running behind, which must not keep the lock.
in_root() { chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C "$@" 8>&-; }

# Every file of the root, apart from what commands leave behind everywhere.
list_root() {
	(cd "$root" && find . -xdev \( -path ./proc -o -path ./tmp -o -path ./var/tmp -o -path ".$tree" \) -prune -o \
		-print | sort)
}

# fake_kernel VERSION: one that differs from the real one by its name. Modules can be built for it: what its headers have as
# links from their place is found from the new one.
fake_kernel() {
	mkdir -p "$root/lib/modules/$1"
	# shellcheck disable=SC2016 # for the inner shell
	in_root sh -ec '
		real=$(readlink -f "/lib/modules/$1/build") build=/lib/modules/$2/build
		cp -aT "$real" "$build"
		for link in scripts tools; do
			[ ! -L "$real/$link" ] || ln -sfn "$(readlink -f "$real/$link")" "$build/$link"
		done
		# from 7.2 on they say where they are, and what is built somewhere else ends up among them
		sed -i "s,^KBUILD_OUTPUT=.*,KBUILD_OUTPUT=$(readlink -f "$build")," "$build/Makefile"' - "$kver" "$1"
}

cleanup() {
	umount -l "$root/proc" "$root" 2>/dev/null || true
	rm -rf "$work"
}

# begin_root KERNEL: after unshare --mount.
begin_root() {
	work=$(mktemp -d "${TMPDIR:-/var/tmp}/memward-$what.XXXXXX")
	root=$work/root
	trap cleanup EXIT
	make_root "$1"
}

# --- TAP -----------------------------------------------------------------------------------------------------------

# check NAME FUNCTION: in a shell of its own, under set -e. One that cannot be done here ends with skip.
check() {
	local status=0
	nr=$((nr + 1))
	(
		set -e
		"$2"
	) >"$work/said" 2>&1 &
	wait $! || status=$?
	if [ "$status" = 0 ]; then
		echo "ok $nr - $what: $1"
	elif [ "$status" = "$MW_UNOBTAINABLE" ]; then
		echo "ok $nr - $what: $1 # SKIP $(tail -n 1 "$work/said")"
	else
		tail -n 30 "$work/said" | sed 's/^/# /'
		echo "not ok $nr - $what: $1"
	fi
}

fail() {
	echo "$*"
	exit 1
}

# skip REASON
skip() {
	echo "$*"
	exit "$MW_UNOBTAINABLE"
}

# says FILE TEXT
says() { grep -qF -- "$2" "$1" || fail "it does not say '$2' but: $(cat "$1")"; }

version() { sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' "$top/dkms.conf"; }
