# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2034
# What the scripts share: the cache, locks, host packages, apt and the table of kernels.
# Sourced, never run. Nothing here names a mirror: every address comes from the machine's own apt configuration.

MW_CACHE=${MEMWARD_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/memward}
MW_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# Exit status of everything that wants a kernel which no reachable mirror has: tests count it as skipped.
MW_UNOBTAINABLE=77

# The kernels of the releases: series, release, and the suites its packages come from, newest wins. A suite that no
# mirror has is left out, except the release itself and the one that carries the kernel.
MW_KERNELS='
5.10 bullseye bullseye          bullseye bullseye-updates bullseye-security
6.1  bookworm bookworm          bookworm bookworm-updates bookworm-security
6.12 trixie   trixie            trixie trixie-updates trixie-security
'
# Every other series is looked for there. Which ones it has changes every few weeks: see backports().
MW_BACKPORTS='trixie trixie-backports trixie trixie-updates trixie-security trixie-backports'

# Kernels that the tests build themselves, with what finds mistakes switched on (tests/kernel/NAME.config): name, release,
# the package of the source, suites.
MW_BUILT_KERNELS='
debug trixie linux-source-6.12 trixie trixie-updates trixie-security
kcsan trixie linux-source-6.12 trixie trixie-updates trixie-security
'

log() { printf '%s: %s\n' "${0##*/}" "$*" >&2; }

die() {
	log "$*"
	exit 1
}

# need_value OPTION "$@": an option that takes a value has one.
need_value() { [ $# -ge 3 ] || die "$1 needs a value"; }

need_root() { [ "$(id -u)" = 0 ] || die "needs root (chroot, mmdebstrap, dkms)"; }

# kernel_row SERIES, built_row NAME: its line of the table, or failure.
kernel_row() {
	if awk -v s="$1" '$1 == s { print; found = 1 } END { exit !found }' <<<"$MW_KERNELS"; then return; fi
	[[ $1 =~ ^[0-9]+\.[0-9]+$ ]] && echo "$1 $MW_BACKPORTS"
}
built_row() { awk -v s="$1" '$1 == s { print; found = 1 } END { exit !found }' <<<"$MW_BUILT_KERNELS"; }

# lock NAME: one holder at a time on this machine, until the subshell that asked for it ends. So it is
#	( lock NAME; ... )
# and the second caller finds inside that the work is done. Not in a condition: set -e would be off in there.
# What may leave something running behind (dkms does) is started with 9>&-, or that would keep the lock.
lock() {
	mkdir -p "$MW_CACHE/lock"
	exec 9>"$MW_CACHE/lock/$1"
	flock -n 9 && return
	log "waiting for another $1"
	flock 9
}

# in_chroot ROOT [NAME=VALUE]... COMMAND...: with /proc, that objtool and pahole read, in a mount namespace that takes it
# away again.
in_chroot() {
	local root=$1
	shift
	# shellcheck disable=SC2016 # for the inner shell
	unshare --mount sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" \
		env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C "$@"
}

# quietly LOGFILE COMMAND...: its output is only interesting when it fails. A program, or a function that ends
# with one: set -e is off in there.
quietly() {
	local file=$1
	shift
	mkdir -p "$(dirname "$file")"
	"$@" >"$file" 2>&1 && return
	tail -n 60 "$file" >&2
	log "failed: $1 (all of its output: $file)"
	return 1
}

# copy_tree FROM TO: what a clone of this tree has, as it is now.
copy_tree() {
	mkdir -p "$2"
	(
		cd "$1"
		# root may build what is somebody else's
		if [ -e .git ]; then
			git -c safe.directory='*' ls-files --cached --others --exclude-standard
		else
			find . -type f
		fi | while read -r f; do [ ! -f "$f" ] || echo "$f"; done | xargs -d '\n' cp --parents -t "$2"
	)
}

# memward_version: that of this tree, which dkms.conf alone says.
memward_version() { sed -n 's/^PACKAGE_VERSION="\(.*\)"$/\1/p' "$(dirname "${BASH_SOURCE[0]}")/../dkms.conf"; }

# package_version DIRECTORY: that of its Debian packages. Between releases, which are tagged v and their number, each commit has its own, above
# the release before: by day and, on one day, by how many commits there are. What is not committed is the last commit's, and says so.
package_version() {
	local version git
	version=$(memward_version)
	git=(git -C "$1" -c safe.directory='*')
	if [ ! -e "$1/.git" ] || "${git[@]}" tag --points-at HEAD | grep -qxF "v$version"; then
		echo "$version"
		return
	fi
	version+=+git$(date -u -d "@$("${git[@]}" log -1 --format=%ct)" +%Y%m%d).$("${git[@]}" rev-list --count HEAD).g$("${git[@]}" rev-parse HEAD | cut -c1-7)
	echo "$version$([ -z "$("${git[@]}" status --porcelain)" ] || echo .changed)"
}

# source_epoch DIRECTORY: the second of its last commit, or of what made it a source package.
source_epoch() {
	if [ "${SOURCE_DATE_EPOCH-}" ]; then
		echo "$SOURCE_DATE_EPOCH"
	elif [ -e "$1/.git" ]; then
		git -C "$1" -c safe.directory='*' log -1 --format=%ct
	elif [ -e "$1/debian/changelog" ]; then
		date -d "$(sed -n 's/^ -- .*>  //p' "$1/debian/changelog" | head -n 1)" +%s
	else
		date +%s
	fi
}

# --- apt -------------------------------------------------------------------------------------------------

# Addresses of the machine's apt sources.
apt_uris() {
	# shellcheck disable=SC2016 # apt expands these
	apt-get indextargets --format '$(REPO_URI) $(CREATED_BY)' |
		awk '$2 == "Packages" && !seen[$1]++ { print $1 }'
}

# mirror_of SUITE: the first of them that carries this suite of Debian.
mirror_of() {
	local suite=$1 uri tmp
	tmp=$(mktemp -d)
	for uri in $(apt_uris); do
		/usr/lib/apt/apt-helper download-file "${uri}dists/$suite/InRelease" "$tmp/r" >/dev/null 2>&1 || continue
		grep -qE '^Origin: Debian( Backports)?$' "$tmp/r" || continue
		rm -rf "$tmp"
		echo "$uri"
		return
	done
	rm -rf "$tmp"
	return 1
}

# apt_line SUITE: a sources.list line. The release file of an old suite has expired, its signature has not.
apt_line() {
	local uri
	uri=$(mirror_of "$1") || return 1
	echo "deb [signed-by=$MW_KEYRING check-valid-until=no] $uri $1 main"
}

# apt_private DIR COMMAND...: apt with the sources, preferences and lists in DIR instead of the machine's.
apt_private() {
	local dir=$1 cmd=$2
	shift 2
	mkdir -p "$dir/lists/partial" "$dir/empty"
	touch "$dir/preferences"
	DEBIAN_FRONTEND=noninteractive "$cmd" \
		-o Dir::Etc::SourceList="$dir/sources.list" -o Dir::Etc::SourceParts="$dir/empty" \
		-o Dir::Etc::Preferences="$dir/preferences" -o Dir::Etc::PreferencesParts="$dir/empty" \
		-o Dir::State::Lists="$dir/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache= \
		-o APT::Sandbox::User=root -o Acquire::Languages=none \
		-o Acquire::Check-Valid-Until=false "$@"
}

# --- the kernel matrix -------------------------------------------------------------------------------------

# The series that memward is tested on, one a line.
tested_series() {
	sed -n 's/^MW_TESTED_SERIES="\(.*\)"/\1/p' "$(dirname "${BASH_SOURCE[0]}")/../dkms.conf" | tr ' ' '\n'
}

# newest_of SERIES...: the last of them by version.
newest_of() { printf '%s\n' "$@" | sort -V | tail -n 1; }

# The series of which the lists in DIR have a cloud kernel with its headers, oldest first.
series_in() {
	apt_private "$1" apt-cache dumpavail | awk '
		$1 != "Package:" || $2 !~ /^linux-(image|headers)-[0-9].*-cloud-amd64$/ { next }
		{ version = $2; sub(/^linux-(image|headers)-/, "", version); seen[version]++ }
		END { for (v in seen) if (seen[v] > 1 && split(v, part, /[.+-]/) > 1) print part[1] "." part[2] }' | sort -uV
}

# Lists of our own, with that suite alone. Where it cannot be had now, what was there last time stays.
ask_backports() {
	local dir=$MW_CACHE/apt/backports suite line
	read -r _ suite _ <<<"$MW_BACKPORTS"
	mkdir -p "$dir"
	line=$(apt_line "$suite") || {
		log "no mirror that this machine's apt knows has the suite $suite"
		return
	}
	echo "$line" >"$dir/sources.list"
	quietly "$MW_CACHE/log/backports" apt_private "$dir" apt-get update -o APT::Update::Error-Mode=any &&
		series_in "$dir" >"$dir/series.new" && [ -s "$dir/series.new" ] || {
		# asked again tomorrow, not at every call
		[ ! -e "$dir/series" ] || touch -d '6 days ago' "$dir/series"
		return 0
	}
	mv "$dir/series.new" "$dir/series"
}

# The series in backports that mirrors have with their headers, oldest first. Asked anew each week, as
# scripts/machine/root does.
backports() {
	local known=$MW_CACHE/apt/backports/series
	[ -n "$(find "$known" -mtime -7 2>/dev/null)" ] || (
		lock backports
		[ -n "$(find "$known" -mtime -7 2>/dev/null)" ] || ask_backports
	)
	if [ -e "$known" ]; then cat "$known"; fi
}

# The newest series of backports that memward is tested on; where backports cannot be had, the newest that it is tested on.
backports_kernel() {
	local tested both
	tested=$(tested_series)
	both=$(backports | grep -xF -- "$tested" || true)
	# shellcheck disable=SC2086 # words
	newest_of ${both:-$tested}
}

# What is tested in full: the kernels of the releases, and one of backports. Oldest first.
kernels() {
	awk 'NF { print $1 }' <<<"$MW_KERNELS"
	backports_kernel
}

# is_tested SERIES: memward has been.
is_tested() { tested_series | grep -qxF -- "$1"; }

# --- packages of the host --------------------------------------------------------------------------------

is_installed() { [ "$(dpkg-query -W -f '${db:Status-Abbrev}' "$1" 2>/dev/null)" = 'ii ' ]; }

install_missing() {
	local p missing=()
	for p; do
		is_installed "$p" || missing+=("$p")
	done
	[ ${#missing[@]} -gt 0 ] || return 0
	need_root
	log "installing ${missing[*]}"
	# The lists of a fresh machine are empty, those of an old one outdated.
	quietly "$MW_CACHE/log/apt" apt-get update
	DEBIAN_FRONTEND=noninteractive quietly "$MW_CACHE/log/apt" \
		apt-get install -y --no-install-recommends "${missing[@]}"
}

# need_packages PACKAGE...: on this machine.
need_packages() {
	local p
	for p; do
		is_installed "$p" && continue
		(
			lock apt
			install_missing "$@"
		)
		return
	done
}

qemu_is_good() {
	local major
	major=$(qemu-system-x86_64 --version 2>/dev/null | sed -n 's/^QEMU emulator version \([0-9]*\).*/\1/p')
	[ "${major:-0}" -ge 10 ]
}

# From the backports of the machine's own release, read through lists of our own: its sources stay as they are.
install_qemu_backport() {
	local dir=$MW_CACHE/apt/host codename
	codename=$(sed -n 's/^VERSION_CODENAME=//p' /etc/os-release)
	mkdir -p "$dir"
	{ apt_line "$codename" && apt_line "$codename-backports"; } >"$dir/sources.list" ||
		die "QEMU 10 is needed and no mirror of this machine has $codename-backports"
	apt_line "$codename-security" >>"$dir/sources.list" || true
	quietly "$MW_CACHE/log/apt" apt_private "$dir" apt-get update
	quietly "$MW_CACHE/log/apt" apt_private "$dir" apt-get install -y --no-install-recommends \
		-t "$codename-backports" qemu-system-x86
}

install_qemu() {
	local version
	qemu_is_good && return
	need_root
	log "installing QEMU"
	quietly "$MW_CACHE/log/apt" apt-get update
	version=$(apt-cache policy qemu-system-x86 | sed -n 's/^ *Candidate: //p')
	if dpkg --compare-versions "${version#(none)}" ge 1:10; then
		DEBIAN_FRONTEND=noninteractive quietly "$MW_CACHE/log/apt" \
			apt-get install -y --no-install-recommends qemu-system-x86
	else
		install_qemu_backport
	fi
	qemu_is_good || die "no QEMU of version 10 or newer could be installed"
}

# QEMU 10 or newer: 7.2 (Debian 12) now and then corrupts the flags after cmpxchg16b and kills its guest.
need_qemu() {
	qemu_is_good || (
		lock apt
		install_qemu
	)
}
