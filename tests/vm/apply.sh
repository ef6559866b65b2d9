# SPDX-License-Identifier: GPL-2.0
# memward apply: groups and limits as files of TOML say. What of it wants systemd is in systemd.sh.

C=$TMP/conf
K=$CGROUPS/bound

# says_in FILE TEXT: a file of the configuration.
says_in() {
	mkdir -p $C
	printf "$2" >"$C/$1.toml"
}

# applies REGEX...: it does, and says just as many lines, each like one of these, in their order; that nothing was to be changed, if there is none.
applies() {
	does apply $C
	changes "$@"
}
changes() {
	local line regex
	[ $# != 0 ] || {
		says "^nothing to change"
		return 0
	}
	exec 5<$TMP/answer
	for regex; do
		read -r line <&5 || fail "no line is like '$regex': $(answer)"
		echo "$line" | grep -qxE -- "$regex" || fail "'$line' is not like '$regex': $(answer)"
	done
	! read -r line <&5 || fail "nothing was to be like '$line': $(answer)"
	exec 5<&-
}

# wrong FILE LINE REGEX [NEXT]: what it complains of; all else was applied.
wrong() {
	ask apply $C
	is "status" "$status" 1
	grep -qE "^memward: $C/$1.toml:$2: $3" $TMP/complaint || fail "it does not complain of '$3': $(complaint)"
	[ ! "${4-}" ] || grep "^  " $TMP/complaint | grep -qF -- "$4" || fail "it does not say '$4': $(complaint)"
}

value_is() { is "$1 of $2" "$(cat "$MW/$2/$1")" "$3"; }

# nothing_left: what was applied is forgotten, so that the next test begins anew.
nothing_left() { rm -rf /run/memward; }

test_groups_and_settings() {
	nothing_left
	says_in a '[group.db]\nmemory.high = "64M"\nmemory.max = 134217728\n[group."web/one"]\nmemory.low = "5000"\n'
	applies "make db" "make web" "make web/one" "set db memory.high=64M" "set db memory.max=134217728" "set web/one memory.low=5000"
	value_is memory.high db $((64 * MB))
	value_is memory.max db $((128 * MB))
	value_is memory.low web/one 4096
	applies
	# files that nobody else may read can be in it
	is "who may read what is remembered" "$(stat -c %a /run/memward/applied.json)" 600
	try as 1000 $PROGS/memward apply --diff $C >$TMP/answer 2>$TMP/complaint && fail "somebody else has read it: $(answer)"
	is "what he is told" "$(head -n 1 $TMP/complaint)" "memward: not permitted: reading what was applied, which is remembered in /run/memward"
	# what somebody has set by hand is as the files say again
	put $MW/db/memory.high max
	applies "set db memory.high=64M \(was max\)"
	value_is memory.high db $((64 * MB))
	# one changes, the others are as they were
	says_in a '[group.db]\nmemory.high = "32M"\nmemory.max = 134217728\n[group."web/one"]\nmemory.low = "5000"\n'
	applies "set db memory.high=32M \(was $((64 * MB))\)"
	applies
	says_in a ''
	applies "remove web/one" "remove web" "remove db"
	applies
	[ ! -e $MW/db ] && [ ! -e $MW/web ] || fail "a group is left"
}

test_every_setting_is_taken_once() {
	nothing_left
	says_in a '[group.db]\nmemory.min = " 1M "\nmemory.low = "1M"\nmemory.high = "max"\n"memory.high.stall_max" = 5000000\n"memory.high.stall_action" = "kill"\nmemory.swap.max = 0\nmemory.swap.high = "1G"\nmemory.oom.group = 1\nmemory.dirty_ratio = "default"\nmemory.swappiness = 7\nmemory.soft_limit_in_bytes = "9223372036854771712"\nmemory.limit_in_bytes = "512M"\nmemory.memsw.limit_in_bytes = "1G"\ncgroup.max.depth = 3\ncgroup.max.descendants = "max"\n'
	echo "[group.same]
memory.swappiness = $(cat /proc/sys/vm/swappiness)" >>$C/a.toml
	ask apply $C
	is "status" "$status $(complaint)" "0 "
	applies
	value_is memory.swappiness db 7
	value_is memory.high.stall_action db kill
	value_is cgroup.max.depth db 3
	value_is memory.memsw.limit_in_bytes db $((1024 * MB))
}

# Memory and swap together are never less than memory alone, whichever is raised or lowered.
test_limits_that_depend_on_each_other() {
	local limits
	nothing_left
	for limits in 100/200 300/400 50/60 60/60 500/500; do
		says_in a "[group.a]\\nmemory.max = \"${limits%/*}M\"\\nmemory.memsw.limit_in_bytes = \"${limits#*/}M\"\\n[group.b]\\nmemory.memsw.limit_in_bytes = \"${limits#*/}M\"\\nmemory.limit_in_bytes = \"${limits%/*}M\"\\n"
		does apply $C
		for group in a b; do
			value_is memory.max $group $((${limits%/*} * MB))
			value_is memory.memsw.limit_in_bytes $group $((${limits#*/} * MB))
		done
	done
	# all is undone together, and goes back together
	says_in a '[group.a]\nmemory.max = "20M"\nmemory.memsw.limit_in_bytes = "30M"\n[group.b]\nmemory.limit_in_bytes = "30M"\nmemory.memsw.limit_in_bytes = "20M"\n'
	wrong a 6 "memory.memsw.limit_in_bytes does not take 20M"
	value_is memory.max a $((500 * MB))
	value_is memory.memsw.limit_in_bytes a $((500 * MB))
	says_in a '[group.a]\n[group.b]\n'
	does apply $C
	value_is memory.max a max
	value_is memory.max b max
}

# A setting, a binding, a group: what a file says no longer is as it was before.
test_said_no_longer() {
	nothing_left
	mkdir $MW/mine
	put $MW/mine/memory.high $((10 * MB))
	says_in a '[group.mine]\nmemory.high = "20M"\nmemory.max = "30M"\n[group.db]\nmemory.max = "40M"\n'
	applies "make db" "set db memory.max=40M" "set mine memory.high=20M \(was $((10 * MB))\)" "set mine memory.max=30M \(was max\)"
	says_in a '[group.mine]\nmemory.high = "25M"\n[group.db]\n'
	applies "set mine memory.high=25M \(was $((20 * MB))\)" "set mine memory.max=max \(was $((30 * MB))\)" "set db memory.max=max \(was $((40 * MB))\)"
	says_in a ''
	# it was there before
	applies "set mine memory.high=$((10 * MB)) \(was $((25 * MB))\)" "remove db"
	value_is memory.high mine $((10 * MB))
	value_is memory.max mine max
	applies
}

# What somebody has set or made anew since is his.
test_changed_by_hand() {
	nothing_left
	says_in a '[group.db]\nmemory.max = "40M"\n[group.web]\nmemory.max = "40M"\n'
	does apply $C
	put $MW/db/memory.max $((50 * MB))
	rmdir $MW/web
	mkdir $MW/web
	says_in a '[group.db]\n'
	applies
	value_is memory.max db $((50 * MB))
	# and a binding that he has taken away, or to another group
	says_in a '[group.db]\nbind = ["/x", "/y"]\n'
	does apply $C
	memward bind --remove db /x /y >/dev/null
	memward bind web /y >/dev/null
	says_in a '[group.db]\n'
	applies "unbind db /x" "unbind db /y"
	applies
	is "what is bound" "$(memward bind web)" /y
	memward bind --remove web /y >/dev/null
	[ -e $MW/web ] || fail "a group that somebody else has made was removed"
}

test_somebody_is_in_it() {
	nothing_left
	says_in a '[group.db]\nmemory.max = "40M"\n'
	does apply $C
	sleep 1000 &
	put $MW/db/cgroup.procs $!
	rm $C/a.toml
	ask apply $C
	is "status" "$status" 0
	is "what is said" "$(cat $TMP/complaint)" "$(printf 'memward: db is in the configuration no longer, and stays: process %s is in db\n  it goes the next time that the configuration is applied and it is in use no longer' $!)"
	value_is memory.max db max
	stop $!
	await 20 is_empty $MW/db
	applies "remove db"
}

test_bindings() {
	nothing_left
	mkdir -p $K/in
	sleep 1000 &
	trap 'stop $!; rmdir $K/in $K' EXIT
	put $K/in/cgroup.procs $!
	says_in a "[group.db]\nbind = [\"/bound/in\", \"$K/../bound/later/\"]\n[group.web]\n"
	applies "make db" "make web" "bind db /bound/in" "bind db /bound/later"
	is "who is in it" "$(members $MW/db)" $!
	applies
	# to another group, in one file and from one file to another
	says_in a '[group.db]\nbind = "/bound/later"\n[group.web]\nbind = ["/bound/in"]\n'
	applies "unbind db /bound/in" "bind web /bound/in"
	is "who is in it" "$(members $MW/web)" $!
	says_in 0 '[group.db2]\nbind = ["/bound/in"]\n'
	says_in a '[group.db]\nbind = "/bound/later"\n[group.web]\n'
	applies "make db2" "unbind web /bound/in" "bind db2 /bound/in"
	is "who is in it" "$(members $MW/db2)" $!
	# of somebody else's bindings nothing is taken
	memward bind web /bound/mine >/dev/null
	rm $C/*
	ask apply $C
	is "status" "$status" 0
	changes "unbind db2 /bound/in" "remove db2" "unbind db /bound/later" "remove db"
	is "what it says of the other" "$(head -n 1 $TMP/complaint)" "memward: web is in the configuration no longer, and stays: /bound/mine is bound to it"
	is "what is bound" "$(memward bind web)" /bound/mine
	memward bind --remove web /bound/mine >/dev/null
	applies "remove web"
}

# In cgroup v1, with the controllers in whatever order, be it before there is such a hierarchy.
test_bindings_in_v1() {
	# what ends the test has it still
	dir=$TMP/v1
	grep -q ^freezer /proc/cgroups || skip "the kernel has no freezer"
	nothing_left
	says_in a '[group.web]\nbind = ["name=apply,freezer:/web/", "/bound/later"]\n'
	applies "make web" "bind web freezer,name=apply:/web" "bind web /bound/later"
	applies
	mkdir -p $dir
	mount -t cgroup -o freezer,name=apply cgroup $dir
	trap 'await 20 are_cleared $dir/web; umount $dir; await 20 is_hierarchy_gone' EXIT
	mkdir $dir/web
	sleep 1000 &
	put $dir/web/cgroup.procs $!
	await 20 has_member web $!
	applies
	says_in a '[group.web]\nbind = ["nothing:/web"]\n'
	wrong a 2 "nothing:/web is no path of a cgroup"
	is "who is still in it" "$(members $MW/web)" $!
	rm $C/*
	applies "unbind web .*" "unbind web .*" "remove web"
}
has_member() { has_a_line "$(members "$MW/$1")" "$2"; }
# One that is unmounted while a cgroup of it is about to go stays until it is unmounted once more.
is_hierarchy_gone() {
	grep -q "[:,]name=apply:" /proc/self/cgroup || return 0
	mount -t cgroup -o freezer,name=apply cgroup $dir && umount $dir
	return 1
}

test_bound_elsewhere() {
	nothing_left
	mkdir $MW/mine
	memward bind mine /bound >/dev/null
	says_in a '[group.db]\nmemory.max = "40M"\nbind = ["/bound/below", "/bound"]\n'
	wrong a 3 "/bound is bound to another group" "memward bind --remove"
	[ ! -e $MW/db ] || fail "there is a group of a file that was not applied"
	is "what is bound" "$(memward bind mine)" /bound
	says_in b '[group.x]\nbind = ["/y"]\n'
	says_in c '[group.z]\nbind = ["/y"]\n'
	wrong c 2 "/y is bound to x in $C/b.toml:2"
	is "what is bound" "$(memward bind x)" /y
}

# Of a file everything or nothing; of the others everything.
test_all_or_nothing() {
	nothing_left
	says_in a '[group.old]\nmemory.max = "40M"\nbind = ["/old"]\n'
	does apply $C
	says_in a '[group.old]\nmemory.max = "50M"\nbind = ["/old", "/new"]\n[group.new]\nmemory.max = "60M"\n[group.bad]\nmemory.oom.group = 1\nmemory.memsw.limit_in_bytes = "4K"\n'
	says_in b '[group.b]\nmemory.max = "70M"\n'
	wrong a 8 "memory.memsw.limit_in_bytes does not take 4K"
	value_is memory.max old $((40 * MB))
	is "what is bound" "$(memward bind old)" /old
	[ ! -e $MW/new ] && [ ! -e $MW/bad ] || fail "there are groups of a file that was not applied"
	value_is memory.max b $((70 * MB))
	# what it had stays, and what others say no longer, as that could be what it says now
	says_in a '[group.'
	rm $C/b.toml
	wrong a 1 ""
	value_is memory.max old $((40 * MB))
	value_is memory.max b $((70 * MB))
	# it holds as it was before
	put $MW/old/memory.max 1G
	wrong a 1 ""
	value_is memory.max old $((40 * MB))
	says_in a '[group.old]\nmemory.max = "40M"\nbind = ["/old"]\n'
	applies "remove b"
	rm $C/a.toml
	applies "unbind old /old" "remove old"
}

# What is neither a path nor a unit is a mistake wherever it is looked at, and who runs containers is not asked: at boot docker would be started for
# that, and wait for memward.
test_no_container_is_asked_for() {
	local how
	nothing_left
	mkdir $TMP/bin
	printf '#!/bin/sh\n: >%s/asked\nexec sleep 1000\n' $TMP >$TMP/bin/podman
	cp $TMP/bin/podman $TMP/bin/docker
	chmod +x $TMP/bin/*
	PATH=$TMP/bin:$PATH
	says_in a '[group.a]\nbind = ["/x",\n"redis.servce"]\n'
	says_in b '[group.b]\nbind = ["/y"]\n'
	for how in --check --diff ""; do
		ask apply $how $C
		is "status of apply $how" "$status" 1
		is "what apply $how complains of" "$(head -n 1 $TMP/complaint)" "memward: $C/a.toml:3: redis.servce is no path of a cgroup and no unit of systemd"
		grep -q "^  a unit ends in .service, " $TMP/complaint || fail "$(complaint)"
	done
	changes "make b" "bind b /y"
	[ ! -e $TMP/asked ] || fail "it has asked"
	# who types its name has it asked for, and does not wait for ever
	refuses 1 "podman does not say within 10s whether it has a container web" "web.service" bind b web
	[ -e $TMP/asked ] || fail "it has not asked"
}

# stop_reading: what is written to fd 7 is for nobody from now on.
stop_reading() {
	mkfifo $TMP/unread
	exec 6<>$TMP/unread
	exec 7>$TMP/unread 6<&-
}

# Who says what he does to nobody any more (`memward apply | head -n 1`) does it nevertheless, all of it.
test_nobody_reads_what_is_said() {
	local nr status=0
	nothing_left
	for nr in $(seq 20); do
		says_in $nr "[group.g$nr]\nmemory.max = \"${nr}M\"\n"
	done
	says_in 0 '[group.'
	stop_reading
	memward apply $C >&7 2>&7 || status=$?
	is "status" "$status" 1
	for nr in $(seq 20); do
		value_is memory.max g$nr $((nr * MB))
	done
	# and its status says that not all was said, as a shell does of others
	rm $C/0.toml $C/1.toml
	status=0
	memward apply $C >&7 2>&7 || status=$?
	is "status" "$status" 141
	[ ! -e $MW/g1 ] || fail "it was not done"
	rm $C/*
	memward apply --keep-going $C >&7 2>&7 || fail "its status is $?"
	! ls -d $MW/g* || fail "groups are left"
	# what cannot be written is told of
	says_in a '[group.a]\n'
	status=0
	memward apply $C >/dev/full 2>$TMP/complaint || status=$?
	is "status" "$status" 1
	[ -e $MW/a ] || fail "it was not done"
	grep -q "^memward: not all that it says could be written: " $TMP/complaint || fail "$(complaint)"
}

# Files that are named: nothing is known of the others.
test_some_files() {
	nothing_left
	says_in a '[group.a]\nmemory.max = "40M"\n'
	says_in b '[group.b]\nmemory.max = "40M"\n'
	does apply $C/a.toml $C/b.toml
	changes "make a" "set a memory.max=40M" "make b" "set b memory.max=40M"
	says_in b ''
	does apply $C/a.toml
	says "^nothing to change"
	does apply $C/b.toml
	changes "remove b"
	rm $C/a.toml
	refuses 1 "there is no file or directory $C/a.toml" "" apply $C/a.toml
	value_is memory.max a $((40 * MB))
	applies "remove a"
}

unsaved="memward: what is applied now is not remembered, and will not be taken back: open /run/memward/applied.json.new: is a directory"

# Where it cannot be remembered all is applied nevertheless: at boot that is no reason to have the service fail, and the tree mounted.
test_not_remembered() {
	nothing_left
	mkdir -p /run/memward/applied.json.new
	trap 'rm -r /run/memward' EXIT
	says_in a '[group.db]\nmemory.max = "40M"\n'
	says_in b '[group.web]\nmemory.max = "50M"\n'
	ask apply $C
	is "status" "$status" 1
	has "what it complains of" "$(complaint)" "$unsaved"
	says "^make db"
	value_is memory.max db $((40 * MB))
	value_is memory.max web $((50 * MB))
	ask apply --keep-going $C
	is "status with --keep-going" "$status" 0
	has "what it complains of then" "$(complaint)" "$unsaved"
	memward remove db web >/dev/null
}

# killed_in_the_middle REACHED LEFT: apply is killed when REACHED, and LEFT was still to be done then; the files before that are as they are afterwards.
killed_in_the_middle() {
	local pid try
	for try in $(seq 20); do
		memward apply $C >$TMP/killed 2>&1 &
		pid=$!
		until "$1" || [ ! -d /proc/$pid ]; do :; done
		# it may have done all of it by now
		kill -KILL $pid 2>/dev/null || :
		wait $pid || :
		"$1" || fail "it has ended before: $(cat $TMP/killed)"
		! "$2" || return 0
		rm $C/many.toml
		does apply $C
		many
	done
	fail "all was done each time"
}

# Who is killed has made what he has made: it goes when no file wants it any more, and what was there before comes back.
test_killed_while_groups_are_made() {
	nothing_left
	many() { seq 300 | sed 's/.*/[group.g&]\nmemory.low = "64K"/' >$C/many.toml; }
	is_made() { [ -d $MW/g50 ]; }
	is_to_be_made() { [ ! -d $MW/g300 ]; }
	mkdir -p $C
	many
	killed_in_the_middle is_made is_to_be_made
	rm $C/many.toml
	does apply $C
	[ "$(answer | grep -c ^remove)" -ge 50 ] || fail "what was made is left: $(answer)"
	! ls -d $MW/g* || fail "what was made is left"
}

test_killed_while_settings_are_made() {
	local nr
	nothing_left
	many() { seq 300 | sed 's/.*/[group.g&]\nmemory.low = "64K"/' >$C/many.toml; }
	is_set() { [ "$(cat $MW/g50/memory.low)" = 65536 ]; }
	is_to_be_set() { [ "$(cat $MW/g300/memory.low)" = 8192 ]; }
	mkdir -p $C
	for nr in $(seq 300); do
		mkdir $MW/g$nr
		put $MW/g$nr/memory.low 8192
	done
	many
	killed_in_the_middle is_set is_to_be_set
	rm $C/many.toml
	does apply $C
	[ "$(answer | grep -c '^set g')" -ge 50 ] || fail "what was set is left: $(answer)"
	for nr in $(seq 300); do
		value_is memory.low g$nr 8192
		rmdir $MW/g$nr
	done
}

test_moved_to_another_file() {
	nothing_left
	says_in a '[group.g]\nmemory.max = "40M"\nbind = ["/x"]\n'
	does apply $C
	mv $C/a.toml $C/b.toml
	applies
	rm $C/b.toml
	applies "unbind g /x" "remove g"
}

test_diff() {
	nothing_left
	says_in a '[group.g]\nmemory.max = "40M"\nbind = ["/x"]\n[group.h]\n'
	does apply --diff $C
	changes "make g" "make h" "set g memory.max=40M" "bind g /x"
	[ ! -e $MW/g ] || fail "it was made"
	does apply $C
	says_in a '[group.h]\nbind = ["/x"]\n'
	does apply --diff $C
	changes "unbind g /x" "bind h /x" "remove g"
	value_is memory.max g $((40 * MB))
	does --json apply --diff $C
	says '^    "change": "bind",$'
	says '^    "to": "/x"$'
	applies "unbind g /x" "bind h /x" "remove g"
}

test_check() {
	rmdir "$G"
	memward unload >/dev/null
	says_in a '[group.a]\nmemory.max = "40M"\n'
	says_in b '[group.b]\nmemory.hihg = "40M"\n'
	ask apply --check $C
	is "status and what is said" "$status $(complaint)" "$(printf '1 memward: %s/b.toml:2: there is no file memory.hihg\n  memward-files(5) has all' $C)"
	ask --json apply --check $C
	says '"line": 2,'
	rm $C/b.toml
	does apply --check $C
	says "^no mistake in 1 file$"
	[ ! -d /sys/module/memward ] || fail "it was loaded"
	refuses 1 "memward is not mounted" "memward mount" apply $C
	refuses 2 "--check and --diff change nothing" "" apply --check --load
}

test_load() {
	rmdir "$G"
	memward unload >/dev/null
	says_in a '[group.a]\nmemory.max = "40M"\n'
	[ ! "$MW_MOUNT_OPTIONS" ] || says_in mount '[mount]\nuntested = true\n'
	does apply --load $C
	value_is memory.max a $((40 * MB))
	does apply --load $C
	says "^nothing to change"
	memward unload --remove-groups >/dev/null
	[ ! -e /run/memward ] || fail "what was applied is not forgotten"
	# the same groups are made anew
	does apply --load $C
	changes "memward is mounted at $MW, as a tree of one's own" "make a" "set a memory.max=40M"
	memward unload --remove-groups >/dev/null
	# whether it is to be a mirror could stand in what is wrong
	says_in a '[group.'
	ask apply --load $C
	is "status" "$status" 1
	grep -q "nothing is mounted" $TMP/complaint || fail "it does not say so: $(complaint)"
	! grep -q " memward " /proc/mounts || fail "it is mounted"
	says_in a '[unit.x]\nmemory.max = "40M"\n'
	says_in 0 '[group.a]\n'
	ask apply --load $C
	is "status" "$status" 1
	grep -q "nothing is mounted" $TMP/complaint || fail "it does not say so: $(complaint)"
	! grep -q " memward " /proc/mounts || fail "it is mounted"
}

# as_mirror: mounted as the configuration says.
as_mirror() {
	[ ! "$MW_MOUNT_OPTIONS" ] || says_in mount '[mount]\nuntested = true\n'
	rmdir "$G"
	memward unload >/dev/null
	nothing_left
	does apply --load $C
	says "^memward is mounted at $MW, as a mirror of the kernel's cgroups$"
}

test_wrong_tree() {
	nothing_left
	says_in a '[unit.x]\nmemory.max = "40M"\n'
	wrong a 1 "what is mounted is another sort of tree" "systemctl restart memward"
	trap 'memward unload >/dev/null' EXIT
	as_mirror
	rm $C/a.toml
	says_in b '[group.x]\n'
	wrong b 1 "what is mounted is another sort of tree" "memward unload"
	says_in a '[unit.x]\nmemory.max = "40M"\n'
	ask apply --check $C
	grep -q "^memward: $C/b.toml:1: a mirror of the kernel's cgroups cannot have a group of its own, x ($C/a.toml:1)$" $TMP/complaint || fail "$(complaint)"
}

test_units() {
	mkdir -p $K/a.service $K/b.service $K/_memory.service
	trap 'no_units; memward unload >/dev/null' EXIT
	says_in 1 '[unit."*.service"]\nmemory.max = "40M"\nmemory.high = "30M"\n'
	says_in 2 '[unit."a.*"]\nmemory.max = "50M"\n[unit."memory.service"]\nmemory.high = "10M"\n[unit."/bound"]\nmemory.low = "1M"\n'
	as_mirror
	value_is memory.max bound/a.service $((50 * MB))
	value_is memory.high bound/a.service $((30 * MB))
	value_is memory.max bound/b.service $((40 * MB))
	value_is memory.high bound/_memory.service $((10 * MB))
	value_is memory.low bound 1048576
	value_is memory.max bound max
	applies
	# one that is there no longer is forgotten, and anew it is limited again
	rmdir $K/a.service
	mkdir $K/a.service
	value_is memory.max bound/a.service max
	applies "set bound/a.service memory.high=30M \(was max\)" "set bound/a.service memory.max=50M \(was max\)"
	# as it was before, as long as it has a mistake
	says_in 2 '[unit.'
	wrong 2 1 ""
	value_is memory.max bound/a.service $((50 * MB))
	rm $C/2.toml
	applies "set bound/_memory.service memory.high=30M \(was $((10 * MB))\)" "set bound/a.service memory.max=40M \(was $((50 * MB))\)" "set bound memory.low=0 \(was 1048576\)"
	rm $C/1.toml
	does apply $C
	value_is memory.max bound/a.service max
	value_is memory.high bound/b.service max
}

# no_units: the kernel's cgroups of a test are gone.
no_units() { find $K -depth -type d -exec rmdir {} \;; }

has_value() { [ "$(cat "$MW/$2/$1" 2>/dev/null)" = "$3" ]; }

# watch_units: memward apply --watch, in the background; sets watcher.
watch_units() {
	try unignoring memward apply --watch $C >$TMP/watch.said 2>$TMP/watch.complaint </dev/null &
	watcher=$!
}
# Where a test has failed.
stop_watching() {
	[ ! "$watcher" ] || kill -KILL "$watcher" || true
}
# mirror_that_is_watched RULES: with cgroups of the test's own in it, and somebody who has the rules applied to those that come.
mirror_that_is_watched() {
	mkdir $K
	watcher=''
	trap 'stop_watching; no_units; memward unload >/dev/null' EXIT
	says_in 1 "$1"
	as_mirror
	watch_units
}
ends_watching() {
	kill "$watcher"
	wait "$watcher" || fail "it ends with $?: $(cat $TMP/watch.complaint)"
	watcher=''
	is "what it complains of" "$(cat $TMP/watch.complaint)" ""
}

# Whatever comes gets what is its own, however deep it is and however much comes at once.
test_units_that_come() {
	local nr
	mirror_that_is_watched '[unit."*.service"]\nmemory.max = "40M"\n'
	mkdir $K/a.service
	await 20 has_value memory.max bound/a.service $((40 * MB))
	for nr in $(seq 100); do
		mkdir $K/s$nr.slice $K/s$nr.slice/x.service
	done
	for nr in $(seq 100); do
		await 60 has_value memory.max bound/s$nr.slice/x.service $((40 * MB))
	done
	rmdir $K/a.service
	mkdir $K/a.service
	await 20 has_value memory.max bound/a.service $((40 * MB))
	says_in 1 '[unit."*.service"]\nmemory.max = "60M"\n'
	kill -HUP $watcher
	await 20 has_value memory.max bound/a.service $((60 * MB))
	mkdir $K/b.service
	await 20 has_value memory.max bound/b.service $((60 * MB))
	# what somebody else applies holds, and what has a mistake does not
	says_in 1 '[unit."*.service"]\nmemory.max = "70M"\n'
	does apply $C
	says_in 1 '[unit.'
	kill -HUP $watcher
	await 20 grep -q "1.toml:1" $TMP/watch.complaint
	mkdir $K/c.service
	await 20 has_value memory.max bound/c.service $((70 * MB))
	: >$TMP/watch.complaint
	ends_watching
}

# Who watches goes on when the journal has gone, and what he says is lost.
test_nobody_reads_of_who_comes() {
	local nr
	mkdir $K
	watcher=''
	trap 'stop_watching; no_units; memward unload >/dev/null' EXIT
	says_in 1 '[unit."*.service"]\nmemory.max = "40M"\n'
	as_mirror
	stop_reading
	try unignoring memward apply --watch $C </dev/null >&7 2>&7 &
	watcher=$!
	for nr in 1 2 3; do
		mkdir $K/$nr.service
		await 20 has_value memory.max bound/$nr.service $((40 * MB))
	done
	kill -HUP $watcher
	says_in 2 '[unit.'
	kill -HUP $watcher
	mkdir $K/4.service
	await 20 has_value memory.max bound/4.service $((40 * MB))
	: >$TMP/watch.complaint
	ends_watching
}

# A file that is emptied, or is a link to nothing, wants nothing any more, of whoever comes later neither; and no mistake brings back what it said.
test_files_that_are_emptied() {
	local nr=0 how
	mirror_that_is_watched '[unit."*.service"]\nmemory.max = "40M"\n'
	says_in 2 '[unit."*.service"]\nmemory.low = "1M"\n'
	for how in ': >' 'ln -sf /dev/null'; do
		rm $C/1.toml
		says_in 1 '[unit."*.service"]\nmemory.max = "40M"\n'
		does apply $C
		nr=$((nr + 1))
		mkdir $K/a$nr.service
		await 20 has_value memory.max bound/a$nr.service $((40 * MB))
		eval "$how $C/1.toml"
		does apply $C
		value_is memory.max bound/a$nr.service max
		is_spared bound/b$nr.service
		rm $C/1.toml
		says_in 1 '[unit.'
		wrong 1 1 ""
		value_is memory.max bound/a$nr.service max
		is_spared bound/c$nr.service
	done
	ends_watching
}
# is_spared GROUP: one that comes now has what the other file says, and no limit.
is_spared() {
	mkdir $CGROUPS/$1
	await 20 has_value memory.low $1 $MB
	value_is memory.max $1 max
}

# Who comes and goes leaves nothing behind: neither a watch nor a file.
test_watches_that_end() {
	local nr
	mirror_that_is_watched '[unit."*.service"]\nmemory.max = "40M"\n'
	mkdir $K/first.service
	await 20 has_value memory.max bound/first.service $((40 * MB))
	watches=$(cat /proc/$watcher/fdinfo/* | grep -c "^inotify wd:") files=$(ls /proc/$watcher/fd | wc -l)
	for nr in $(seq 50); do
		mkdir $K/$nr.service
		await 20 has_value memory.max bound/$nr.service $((40 * MB))
		rmdir $K/$nr.service
	done
	await 20 has_watches "$watches"
	at_most "files that are open" "$(ls /proc/$watcher/fd | wc -l)" "$files"
	umount $MW
	wait $watcher || fail "it ends with $?: $(cat $TMP/watch.complaint)"
	watcher=''
	has "what it says" "$(cat $TMP/watch.said)" "memward is mounted no longer"
}
has_watches() { [ "$(cat /proc/$watcher/fdinfo/* | grep -c "^inotify wd:")" = "$1" ]; }

# Who watches goes on where nothing can be remembered, and says so.
test_nothing_is_remembered_of_who_comes() {
	mirror_that_is_watched '[unit."*.service"]\nmemory.max = "40M"\n'
	mkdir $K/first.service
	await 20 has_value memory.max bound/first.service $((40 * MB))
	mkdir /run/memward/applied.json.new
	mkdir $K/second.service
	await 20 has_value memory.max bound/second.service $((40 * MB))
	await 20 has_complained "$unsaved"
	mkdir $K/third.service
	await 20 has_value memory.max bound/third.service $((40 * MB))
	rmdir /run/memward/applied.json.new
	: >$TMP/watch.complaint
	ends_watching
}
has_complained() { has_a_line "$(cat $TMP/watch.complaint)" "$1"; }

# Units come and go while it looks at them, and it complains of none.
test_units_that_go_meanwhile() {
	local nr churn rounds=0
	mirror_that_is_watched '[unit."*.service"]\nmemory.max = "40M"\nmemory.high = "30M"\n'
	for nr in $(seq 500); do
		mkdir $K/$nr.service
		rmdir $K/$nr.service
	done
	mkdir $K/last.service
	await 60 has_value memory.max bound/last.service $((40 * MB))
	for nr in $(seq 200); do
		mkdir $K/$nr.service
	done
	# all of them go, one after the other, while their limits are changed again and again
	{
		await 20 [ -e $TMP/first ]
		for nr in $(seq 200); do
			rmdir $K/$nr.service
		done
	} &
	churn=$!
	while [ -d /proc/$churn ] && [ "$(task_state $churn)" != Z ]; do
		sed -i 's/40M/50M/;t;s/50M/40M/' $C/1.toml
		does apply $C
		: >$TMP/first
		rounds=$((rounds + 1))
	done
	wait $churn
	at_least "how often it was applied meanwhile" "$rounds" 2
	does apply $C
	ends_watching
}

# More at once than inotify tells of: it looks at all of them then.
test_more_than_it_is_told() {
	local nr
	mkdir $K
	before=$(cat /proc/sys/fs/inotify/max_queued_events)
	watcher=''
	trap 'stop_watching; echo $before >/proc/sys/fs/inotify/max_queued_events; no_units; memward unload >/dev/null' EXIT
	says_in 1 '[unit."*.service"]\nmemory.max = "40M"\n'
	as_mirror
	echo 8 >/proc/sys/fs/inotify/max_queued_events
	watch_units
	mkdir $K/first.service
	await 20 has_value memory.max bound/first.service $((40 * MB))
	kill -STOP $watcher
	await 20 is_stopped $watcher
	for nr in $(seq 50); do
		mkdir $K/$nr.service
	done
	kill -CONT $watcher
	for nr in $(seq 50); do
		await 60 has_value memory.max bound/$nr.service $((40 * MB))
	done
	ends_watching
}

# Nothing of one's own tree has to be watched.
test_nothing_to_watch() {
	nothing_left
	says_in a '[group.a]\nmemory.max = "40M"\n'
	does apply --watch $C
	changes "make a" "set a memory.max=40M"
}

# Several at once.
test_several_at_once() {
	local nr pids=''
	nothing_left
	for nr in $(seq 20); do
		says_in $nr "[group.g$nr]\nmemory.max = \"${nr}M\"\nbind = [\"/b$nr\"]\n"
	done
	for nr in $(seq 4); do
		memward apply $C >$TMP/several.$nr 2>&1 &
		pids="$pids $!"
	done
	for nr in $pids; do
		wait $nr || fail "one has failed: $(cat $TMP/several.*)"
	done
	is "groups that were made" "$(cat $TMP/several.* | grep -c ^make)" 20
	applies
	rm $C/*
	does apply $C
	is "groups that were removed" "$(answer | grep -c ^remove)" 20
}
