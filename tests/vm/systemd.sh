# SPDX-License-Identifier: GPL-2.0
# memward in a Debian that its own systemd has started: installed by dkms, with a database and a store as the distribution
# has them at work in groups, and stress-ng at a limit. A boot of its own (scripts/vm --systemd).

# --- installed -------------------------------------------------------------------------------------------------

is_installed() { dkms status | grep -F "$(uname -r)" | grep -q installed; }

# The compiler is an emulated one.
limit_dkms=1800
test_dkms() {
	local place
	rmdir "$G"
	umount "$MW"
	rmmod memward
	rm -r "/lib/modules/$(uname -r)/updates"
	make -C /copy/tree install >"$TMP/make" 2>&1 || fail "make install has failed: $(tail -n 40 "$TMP/make")"
	is_installed || fail "dkms status: $(dkms status)"
	place=$(modinfo -n memward)
	case $place in
	*/updates/dkms/memward.ko*) ;;
	*) fail "modprobe finds $place" ;;
	esac
	modprobe memward
	mount_memward
	mkdir "$G"
	run "$G" touched mem anon 20M
	drain
	stat_is "$G" anon $((20 * MB)) 5
	next_step freed
	finish
}

# --- PostgreSQL and Redis ------------------------------------------------------------------------------------------

PG_VERSION=$(ls /etc/postgresql)
PG_UNIT=postgresql@$PG_VERSION-main.service
REDIS_UNIT=redis-server.service

# born_in GROUP UNIT PREFIX COMMAND: the unit's program, and so all that it starts, is born in the group.
born_in() {
	local dir=/run/systemd/system/$2.d
	mkdir -p "$1" "$dir"
	printf '[Service]\nExecStart=\nExecStart=%s/bin/sh -c "echo 0 >%s/cgroup.procs && exec %s"\n' "$3" "$1" "$4" >"$dir/memward.conf"
	systemctl daemon-reload
}

# Redis becomes who it is to be only when it is in the group, which is root's.
start_both() {
	trap 'systemctl stop "$PG_UNIT" "$REDIS_UNIT"' EXIT
	born_in "$G/pg" "$PG_UNIT" '' 'pg_ctlcluster --skip-systemctl-redirect %i start'
	born_in "$G/redis" "$REDIS_UNIT" + 'setpriv --reuid=redis --regid=redis --init-groups redis-server /etc/redis/redis.conf --supervised systemd --daemonize no'
	systemctl start "$PG_UNIT" "$REDIS_UNIT"
	are_in_their_groups
}

is_main_pid_in() {
	local main
	main=$(systemctl show -p MainPID --value "$2")
	has "$1/cgroup.procs" "$(members "$1")" "$main"
}
are_in_their_groups() {
	is_main_pid_in "$G/pg" "$PG_UNIT"
	is_main_pid_in "$G/redis" "$REDIS_UNIT"
}

pgbench() { runuser -u postgres -- "/usr/lib/postgresql/$PG_VERSION/bin/pgbench" "$@"; }
sql() { runuser -u postgres -- psql -qAtc "$1"; }

# Each transaction of pgbench adds the same to an account, a teller, a branch and the history.
are_accounts_right() {
	local said
	said=$(sql 'select (select sum(abalance) from pgbench_accounts) = all (array[(select sum(tbalance) from pgbench_tellers),
		(select sum(bbalance) from pgbench_branches), (select coalesce(sum(delta), 0) from pgbench_history)])')
	is "all sums of pgbench are the same" "$said" t
}
transactions() { sql 'select count(*) from pgbench_history'; }

fill_both() {
	pgbench -q -i -s 4 >"$TMP/init" 2>&1 || fail "pgbench -i: $(cat "$TMP/init")"
	redis-benchmark -q -t set -n 20000 -r 20000 -d 1000 -P 16 >"$TMP/init" 2>&1 || fail "redis-benchmark: $(cat "$TMP/init")"
}

# again NAME COMMAND...: until somebody says that it is enough; NAME.done has a line for each time.
again() {
	local name=$1
	shift
	: >"$TMP/$name.done"
	until [ -e "$TMP/enough" ]; do
		"$@" >"$TMP/$name" 2>&1 || exit 1
		echo >>"$TMP/$name.done"
	done
}

# load_both: in the background; sets pg_load and redis_load.
clients=4 each=25
load_both() {
	rm -f "$TMP/enough"
	again pgbench pgbench -n -c $clients -j 2 -t $each &
	pg_load=$!
	again redis redis-benchmark -q -t set,get,lpush,lrange_100 -n 1000 -r 20000 -d 1000 -P 4 &
	redis_load=$!
}
have_both_ended() {
	: >"$TMP/enough"
	wait "$pg_load" || fail "pgbench has failed: $(cat "$TMP/pgbench")"
	wait "$redis_load" || fail "redis-benchmark has failed: $(cat "$TMP/redis")"
}

# lower GROUP FILE: to three quarters of what the group has now, until that has shown.
lower() {
	local before
	before=$(stat_of "$1" "${2#memory.}" memory.events)
	put "$1/$2" $(($(current "$1") * 3 / 4))
	await 120 is_limited "$1" "${2#memory.}" "$before"
}
# is_limited GROUP EVENT BEFORE: it has come to its limit more often than before.
is_limited() { [ "$(stat_of "$1" "$2" memory.events)" -gt "$3" ]; }
lift() { put "$1/$2" max; }

limits_come_and_go() {
	local group
	for group in "$G/pg" "$G/redis"; do
		lower "$group" memory.high
		lift "$group" memory.high
		lower "$group" memory.max
		lift "$group" memory.max
	done
}

nobody_was_killed() { is "oom_kill of $1" "$(stat_of "$1" oom_kill memory.events)" 0; }

limit_databases_at_limits=1200
test_databases_at_limits() {
	local round
	start_both
	fill_both
	at_least "what PostgreSQL's group has" "$(current "$G/pg")" $((30 * MB))
	at_least "what Redis' group has" "$(current "$G/redis")" $((20 * MB))
	load_both
	for round in $(seq "$ROUNDS"); do
		limits_come_and_go
		audit_is_clean
	done
	have_both_ended
	is "transactions" "$(transactions)" $((clients * each * $(wc -l <"$TMP/pgbench.done")))
	are_accounts_right
	nobody_was_killed "$G/pg"
	nobody_was_killed "$G/redis"
	audit_is_clean
}

# What was committed is there after a restart, and who is started anew is in the group.
limit_restarts=1200
test_restarts() {
	local keys round
	start_both
	fill_both
	for round in $(seq $((2 * ROUNDS))); do
		load_both
		await 60 is_loaded
		put "$G/pg/memory.max" $(($(current "$G/pg") * 3 / 4))
		systemctl restart "$PG_UNIT"
		: >"$TMP/enough"
		# whose server went away
		wait "$pg_load" || true
		wait "$redis_load" || fail "redis-benchmark has failed: $(cat "$TMP/redis")"
		keys=$(redis-cli dbsize)
		systemctl restart "$REDIS_UNIT"
		are_in_their_groups
		is "keys after a restart in round $round" "$(redis-cli dbsize)" "$keys"
		are_accounts_right
		lift "$G/pg" memory.max
		audit_is_clean
	done
	systemctl stop "$PG_UNIT" "$REDIS_UNIT"
	await 20 is_empty "$G"
}
is_loaded() { [ "$(sql "select count(*) from pg_stat_activity where application_name = 'pgbench'")" -gt 0 ]; }

# --- the mirror ---------------------------------------------------------------------------------------------------

# Nobody has told systemd or the units of memward. A unit that is limited by its path is so whenever it is restarted and limited again; whatever
# is started is in its group from its first instruction on; and when all is at rest there is no difference.
limit_mirror=1800
test_mirror() {
	local path
	rmdir "$G"
	umount $MW
	mount_mirror
	trap 'systemctl stop "$PG_UNIT" "mw-*" || true; umount $MW' EXIT
	await 120 is_the_same
	systemctl start "$PG_UNIT"
	path=$MW$(systemctl show -p ControlGroup --value "$PG_UNIT")
	is_main_pid_in "$path" "$PG_UNIT"
	fill_postgres
	at_least "what PostgreSQL has" "$(current "$path")" $((30 * MB))
	put "$path/memory.max" 24M
	again pgbench pgbench -n -c $clients -j 2 -t $each &
	pg_load=$!
	await 60 is_limited "$path" max 0
	: >"$TMP/enough"
	wait "$pg_load" || fail "pgbench has failed: $(cat "$TMP/pgbench")"
	nobody_was_killed "$path"
	restart_units $((10 * ROUNDS))
	is "who has escaped" "$(cat $UNITS/escaped)" ""
	is "who has looked" "$(wc -l <$UNITS/inside)" $((10 * ROUNDS * 4 * 4))
	audit_is_clean
	systemctl restart "$PG_UNIT"
	are_accounts_right
	is "memory.max when it is started again" "$(cat "$path/memory.max")" max
	await 120 is_the_same
	audit_is_clean
}
is_the_same() { [ ! "$(differences)" ]; }
fill_postgres() { pgbench -q -i -s 4 >"$TMP/init" 2>&1 || fail "pgbench -i: $(cat "$TMP/init")"; }

UNITS=/run/mw-units

# --- the command ---------------------------------------------------------------------------------------------------

# Its workers come and go.
has_same_members() { [ "$(members "$1" | sort)" = "$(sort "$2/cgroup.procs")" ]; }

# What a new user does: a limit for PostgreSQL, by the name of its unit.
test_a_bound_unit() {
	local i
	dropin=/run/systemd/system/$PG_UNIT.d
	trap 'systemctl stop "$PG_UNIT"; rm -r "$dropin"; systemctl daemon-reload' EXIT
	mkdir -p "$dropin" $UNITS
	: >$UNITS/escaped
	chmod 666 $UNITS/escaped
	# who starts it looks where that is
	printf '#!/bin/sh\ngrep -qx $$ %s/db/cgroup.procs || echo $$ >>%s/escaped\n' $MW $UNITS >$UNITS/look
	chmod 755 $UNITS/look
	printf '[Unit]\nStartLimitIntervalSec=0\n[Service]\nExecStartPre=%s/look\n' $UNITS >"$dropin/memward.conf"
	systemctl daemon-reload
	memward create db memory.max=200M
	# nothing has started it yet
	memward bind db "$PG_UNIT" >"$TMP/bind"
	is "what is said" "$(cat "$TMP/bind")" "/system.slice/system-postgresql.slice/$PG_UNIT is bound to db; there is no such cgroup yet"
	for i in $(seq 10); do
		systemctl restart "$PG_UNIT"
		await 20 has_same_members $MW/db "/sys/fs/cgroup$(systemctl show -p ControlGroup --value "$PG_UNIT")"
		is_main_pid_in $MW/db "$PG_UNIT"
	done
	is "who was not in the group as it began" "$(cat $UNITS/escaped)" ""
	if memward bind db postgresql 2>"$TMP/complaint"; then fail "a unit without processes is bound"; fi
	has "what is said of it" "$(cat "$TMP/complaint")" "memward: postgresql.service has no processes of its own: it stands for $PG_UNIT"
	if memward bind db nowhere.service 2>"$TMP/complaint"; then fail "a unit that is not there is bound"; fi
	has "what is said of it" "$(cat "$TMP/complaint")" "memward: systemd knows no unit nowhere.service"
	if memward bind db nowhere 2>"$TMP/complaint"; then fail "nothing is bound"; fi
	has "what is said of it" "$(cat "$TMP/complaint")" "memward: nowhere is no path of a cgroup, no unit of systemd and no container"
	memward create redis
	memward bind redis redis-server >"$TMP/bind"
	is "what is said" "$(cat "$TMP/bind")" "/system.slice/$REDIS_UNIT is bound to redis; there is no such cgroup yet"
	memward remove redis
	systemctl stop "$PG_UNIT"
	memward remove db
}

# A unit is restarted while its processes fork. Whoever is born looks whether it is in the group, and nobody stays behind.
limit_restarts_while_forking=1800
test_restarts_while_forking() {
	local nr restarts=$((334 * ROUNDS))
	forks=mw-forks.service
	trap 'systemctl stop $forks; rm /run/systemd/system/$forks; systemctl daemon-reload' EXIT
	mkdir -p $UNITS
	: >$UNITS/escaped
	: >$UNITS/inside
	printf '#!/bin/sh\nif grep -qx $$ %s/cgroup.procs; then echo >>%s/inside; else echo $$ >>%s/escaped; fi\n' "$G" $UNITS $UNITS >$UNITS/look
	printf '#!/bin/sh\nwhile :; do %s/look & /copy/progs/proc nothing & wait $!; done\n' $UNITS >$UNITS/forks
	chmod 755 $UNITS/look $UNITS/forks
	printf '[Unit]\nStartLimitIntervalSec=0\n[Service]\nExecStartPre=%s/look\nExecStart=%s/forks\n' $UNITS $UNITS >/run/systemd/system/$forks
	systemctl daemon-reload
	memward bind "${G#"$MW/"}" $forks >/dev/null
	for nr in $(seq $restarts); do
		systemctl restart $forks
		[ $((nr % 20)) = 0 ] || continue
		await 60 have_looked $((nr + nr / 10))
		systemctl kill -s STOP $forks
		is_main_pid_in "$G" $forks
		await 60 has_same_members "$G" /sys/fs/cgroup/system.slice/$forks
	done
	is "who was not in the group" "$(cat $UNITS/escaped)" ""
	is "who died as he was born" "$(stat_of $MW fork_kills memward.status)" 0
	systemctl stop $forks
	await 20 is_empty "$G"
	audit_is_clean
}
# have_looked TIMES: more often than it was restarted, so children of the unit's have, too.
have_looked() { [ "$(wc -l <$UNITS/inside)" -ge "$1" ]; }

# --- memward.service ----------------------------------------------------------------------------------------------

# as_installed: the command, its units and these lines of configuration, where a package has them.
as_installed() {
	cp "$(command -v memward)" /usr/sbin/memward
	cp /copy/tree/packaging/*.service /etc/systemd/system/
	mkdir -p /etc/memward.d
	printf "$1" >/etc/memward.d/test.toml
	systemctl daemon-reload
}
not_installed() {
	systemctl disable -q --now memward memward-watch
	rm -rf /usr/sbin/memward /etc/systemd/system/memward*.service /etc/memward.d
	systemctl daemon-reload
}
[ ! "$MW_MOUNT_OPTIONS" ] && as_tested='' || as_tested='[mount]\nuntested = true\n'

# A service that is named there is in its group from its first instruction on, whenever it is started.
test_service() {
	rmdir "$G"
	memward unload >/dev/null
	trap 'systemctl stop "$PG_UNIT"; not_installed' EXIT
	as_installed "$as_tested[group.db]\nmemory.max = \"200M\"\nbind = [\"$PG_UNIT\"]\n"
	systemctl enable -q --now memward || fail "$(systemctl status memward)"
	is "who begins with the machine" "$(systemctl show -p WantedBy --value memward)" basic.target
	is "what is bound" "$(memward bind db)" "/system.slice/system-postgresql.slice/$PG_UNIT"
	systemctl start "$PG_UNIT"
	is_main_pid_in $MW/db "$PG_UNIT"
	# nothing is to be watched in a tree of one's own
	await 20 is_unit memward-watch inactive
	is "how that has ended" "$(systemctl show -p Result --value memward-watch)" success
	printf "$as_tested[group.db]\nmemory.max = \"300M\"\nbind = [\"$PG_UNIT\"]\n" >/etc/memward.d/test.toml
	systemctl reload memward
	is memory.max "$(cat $MW/db/memory.max)" $((300 * MB))
	is_main_pid_in $MW/db "$PG_UNIT"
	printf '[group.' >/etc/memward.d/bad.toml
	if systemctl reload memward 2>/dev/null; then fail "what has a mistake is reloaded"; fi
	is_main_pid_in $MW/db "$PG_UNIT"
	# with that it begins all the same
	systemctl restart memward || fail "$(systemctl status memward)"
	is memory.max "$(cat $MW/db/memory.max)" $((300 * MB))
	is_main_pid_in $MW/db "$PG_UNIT"
	restart_while_somebody_is_there
	systemctl stop memward
	[ ! -e /sys/module/memward ] || fail "the module is loaded"
	systemctl is-active -q "$PG_UNIT" || fail "PostgreSQL has gone with it"
}

# It ends as it was, and says that it is not the module that is installed (for which the one that is loaded is another here).
restart_while_somebody_is_there() {
	local sleeper
	(cd $MW/db && exec sleep 1000) &
	sleeper=$!
	await 20 is_there $sleeper $MW/db
	echo another >"$TMP/srcversion"
	mount --bind "$TMP/srcversion" /sys/module/memward/srcversion
	systemctl restart memward || fail "$(systemctl status memward)"
	umount /sys/module/memward/srcversion
	is memory.max "$(cat $MW/db/memory.max)" $((300 * MB))
	is_main_pid_in $MW/db "$PG_UNIT"
	await 20 has_said debug "fuser -vm $MW"
	await 20 has_said warning "the old module is still loaded"
	kill $sleeper
	wait $sleeper || true
}
# has_said PRIORITY TEXT
has_said() { journalctl -u memward -o cat -p "$1" | grep -F "$2" >/dev/null; }
is_there() { [ "$(readlink "/proc/$1/cwd")" = "$2" ]; }
is_unit() { [ "$(systemctl show -p ActiveState --value "$1")" = "$2" ]; }

# Who stops the service while it starts, or reloads, has it stopped; what somebody has mounted otherwise is none of its.
test_service_stopped_meanwhile() {
	local job
	rmdir "$G"
	memward unload >/dev/null
	trap 'exec 9>&-; rm -f /etc/modprobe.d/mw.conf $UNITS/held; not_installed' EXIT
	mkdir -p $UNITS
	as_installed "$as_tested[group.db]\nmemory.max = \"200M\"\n"
	for job in load start reload 'reload of mistakes'; do
		case $job in
		load)
			# modprobe has loaded it, and is not done
			: >$UNITS/held
			echo "install memward modprobe --ignore-install memward; while [ -e $UNITS/held ]; do sleep 0.1; done" >/etc/modprobe.d/mw.conf
			;;
		reload*)
			rm -f /etc/modprobe.d/mw.conf
			systemctl start memward
			await 60 is_unit memward-watch inactive
			;;
		esac
		[ "$job" != 'reload of mistakes' ] || printf '[group.' >/etc/memward.d/bad.toml
		# whoever applies anything, or unloads it, waits for this
		mkdir -p /run/memward
		exec 9>/run/memward/lock
		flock 9
		case $job in
		reload*) systemctl reload --no-block memward 9>&- ;;
		*) systemctl start --no-block memward 9>&- ;;
		esac
		await 60 is_at_it "$job"
		systemctl stop --no-block memward 9>&-
		await 60 is_unit memward deactivating
		[ -e /sys/module/memward ] || fail "$job: it has not waited"
		rm -f $UNITS/held
		exec 9>&-
		# systemd may take the reload's mistakes for the service's
		await 60 has_ended memward
		[ ! -e /sys/module/memward ] || fail "the module is loaded, though it was stopped at its $job"
	done
	rm /etc/memward.d/bad.toml
	modprobe memward
	mount_memward
	mkdir $MW/mine
	printf "$as_tested[unit.\"x.service\"]\nmemory.max = \"200M\"\n" >/etc/memward.d/test.toml
	if systemctl start memward 2>/dev/null; then fail "a tree of one's own is taken for a mirror"; fi
	is_unit memward failed || fail "$(systemctl status memward)"
	[ -d $MW/mine ] || fail "it has removed somebody's group"
	systemctl reset-failed memward
	memward unload --remove-groups >/dev/null
}
has_ended() { is_unit "$1" inactive || is_unit "$1" failed; }
# Its next step waits.
is_at_it() {
	case $1 in
	load) [ -e /sys/module/memward ] ;;
	start) is_unit memward activating && [ -e $MW/memward.status ] && grep -q -- '-> FLOCK' /proc/locks ;;
	reload*) is_unit memward reloading && grep -q -- '-> FLOCK' /proc/locks ;;
	esac
}

# On a mirror a unit has its limits as often as it is started, and what is started while these change.
test_service_of_a_mirror() {
	local group nr main
	rmdir "$G"
	memward unload >/dev/null
	trap 'systemctl stop "$PG_UNIT" "mw-*"; not_installed' EXIT
	as_installed "$as_tested[unit.\"postgresql@*.service\"]\nmemory.max = \"200M\"\n[unit.\"mw-*.service\"]\nmemory.high = \"64M\"\n"
	systemctl start memward || fail "$(systemctl status memward)"
	await 20 is_unit memward-watch active
	group=system.slice/system-postgresql.slice/$PG_UNIT
	for nr in $(seq 5); do
		systemctl restart "$PG_UNIT"
		await 20 has_value "$group" memory.max $((200 * MB))
		is_main_pid_in "$MW/$group" "$PG_UNIT"
	done
	for nr in $(seq 10); do
		systemd-run -q --unit mw-$nr sleep 1000
	done
	for nr in $(seq 10); do
		await 20 has_value system.slice/mw-$nr.service memory.high $((64 * MB))
	done
	sed -i s/64M/32M/ /etc/memward.d/test.toml
	systemctl reload memward
	for nr in $(seq 10); do
		await 20 has_value system.slice/mw-$nr.service memory.high $((32 * MB))
	done
	systemd-run -q --unit mw-new sleep 1000
	await 20 has_value system.slice/mw-new.service memory.high $((32 * MB))
	# who watches is killed, and what is limited stays so
	main=$(systemctl show -p MainPID --value memward-watch)
	systemctl kill -s KILL memward-watch
	await 60 is_watched_by_another "$main"
	is "limit" "$(cat "$MW/$group/memory.max")" $((200 * MB))
	systemd-run -q --unit mw-newer sleep 1000
	await 20 has_value system.slice/mw-newer.service memory.high $((32 * MB))
	systemctl stop memward
	is_unit memward-watch inactive || fail "memward-watch goes on"
	[ ! -e /sys/module/memward ] || fail "the module is loaded"
}
has_value() { [ "$(cat "$MW/$1/$2" 2>/dev/null)" = "$3" ]; }
is_watched_by_another() { is_unit memward-watch active && [ "$(systemctl show -p MainPID --value memward-watch)" != "$1" ]; }

# What systemd makes of a kill by memward: the unit's OOMPolicy= holds.
test_oom_policy() {
	local policy
	expect_log 'memward: oom: |memward: .* is out of memory: |out of memory: Killed process'
	trap 'systemctl stop "mw-*"; systemctl reset-failed' EXIT
	memward create db memory.max=32M memory.swap.max=0
	for policy in stop continue; do
		memward bind db "/system.slice/mw-$policy.service" >/dev/null
		systemd-run -q --unit mw-$policy -p OOMPolicy=$policy sh -c "/copy/progs/mem anon 64M; exec sleep 1000"
	done
	await 60 is_unit mw-stop.service failed
	is "result" "$(systemctl show -p Result --value mw-stop.service)" oom-kill
	await 60 has_died_in mw-continue.service
	is "the unit that goes on" "$(systemctl show -p ActiveState --value mw-continue.service)" active
	systemctl stop mw-continue.service
	memward remove db
}
has_died_in() { [ "$(stat_of "/sys/fs/cgroup/system.slice/$1" oom_kill memory.events)" -ge 1 ]; }

transient() { systemd-run -q --wait --collect -p RuntimeMaxSec=600 "$@"; }

# make_units: $UNITS/unit has three children at once. Each of them, and it, looks whether it is in the group of its cgroup, and it whether what
# it uses is charged there.
make_units() {
	mkdir -p $UNITS
	: >$UNITS/escaped
	: >$UNITS/inside
	cat >$UNITS/unit <<-'END'
		#!/bin/sh
		cgroup=$(cut -d: -f3- /proc/self/cgroup)
		group=/sys/fs/memward$cgroup
		if grep -qx $$ "$group/cgroup.procs"; then
			echo >>/run/mw-units/inside
		else
			echo "$$: $cgroup, where there are: $(cat "$group/cgroup.procs" 2>&1)" >>/run/mw-units/escaped
		fi
		[ $# = 0 ] || exit 0
		dd if=/dev/zero of=/dev/null bs=8M count=1 2>/dev/null
		[ "$(cat "$group/memory.peak")" -ge 8388608 ] || echo "$$: $cgroup pays for $(cat "$group/memory.peak")" >>/run/mw-units/escaped
		$0 child & $0 child & $0 child & wait
	END
	chmod 755 $UNITS/unit
	chmod 666 $UNITS/escaped $UNITS/inside
}

# unit_of_each_kind NR: the first has all but $UNITS and its own to be read only.
unit_of_each_kind() {
	local pids='' pid property status=0
	for property in "DynamicUser=yes -p ReadWritePaths=$UNITS" Delegate=yes Slice=mw.slice PrivateTmp=yes; do
		# shellcheck disable=SC2086 # words
		transient -p $property --unit "mw-${property%%=*}-$1" $UNITS/unit &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || status=$?
	done
	return $status
}

restart_units() {
	local nr
	make_units
	for nr in $(seq "$1"); do
		unit_of_each_kind "$nr" >"$TMP/run" 2>&1 || fail "a unit has failed: $(cat "$TMP/run")"
	done
}

# --- a storm on the mirror -----------------------------------------------------------------------------------------

STREAMS=4
have_streams_ended() {
	set -- $UNITS/done.*
	[ $# = $STREAMS ]
}

# stream N COMMAND...: one after the other, and on until the other streams have done as much; what the last said, if it has failed.
stream() {
	local nr=0 name=$2 least=$1
	shift
	until [ $nr -ge "$least" ] && have_streams_ended; do
		nr=$((nr + 1))
		"$@" $nr >"$TMP/said.$name" 2>&1 || { tell_failure "$* $nr: $(cat "$TMP/said.$name")"; break; }
		echo $nr >$UNITS/times.$name
		[ $nr != "$least" ] || : >$UNITS/done.$name
	done
	: >$UNITS/done.$name
}
tell_failure() {
	echo "$1"
	journalctl -b -o cat -n 40
} >>$UNITS/failed
# times_of STREAM: that it was done.
times_of() { cat "$UNITS/times.$1"; }

# Who may make cgroups below its own makes one, puts its children there, and takes them away again.
delegated() { transient -p Delegate=yes --unit "mw-delegated-$1" $UNITS/delegated; }

# logind makes a scope for it, and with the first one a slice for the user and a manager in it, which starts a unit of its own. After each third
# all of that goes.
session() {
	transient -p User=mw-user -p PAMName=mw --unit "mw-login-$1" $UNITS/session || return
	[ $(($1 % 3)) != 0 ] || (end_sessions)
}
end_sessions() {
	local slice
	slice=/sys/fs/cgroup/user.slice/user-$(id -u mw-user).slice
	[ ! -d "$slice" ] || loginctl terminate-user mw-user || true
	await 120 is_removed "$slice"
}
is_removed() { [ ! -d "$1" ]; }

# Its first process is number 1 there. Where it has no cgroup namespace of its own it sees which cgroup it is in, and this mount. With --rm podman
# 3 does not always know any more how it has ended.
container() {
	local runtime=crun
	[ $(($1 % 2)) = 0 ] || runtime=runc
	if [ $(($1 % 3)) = 0 ]; then
		set -- "$1" --cgroupns private --rootfs $UNITS/root /bin/sleep 1
	else
		echo >>$UNITS/seen_by_containers
		set -- "$1" --cgroupns host -v $MW:$MW -v $UNITS:$UNITS --rootfs $UNITS/root $UNITS/unit
	fi
	run_container $runtime "$@" && podman rm -f "mw-$1"
}
run_container() {
	local runtime=$1 nr=$2
	shift 2
	timeout 600 podman --runtime "$runtime" run --name "mw-$nr" --network none "$@"
}

# sample: as long as there are streams, whoever is in a cgroup before and after its group is looked at is in that.
sample() {
	local dir
	until have_streams_ended; do
		for dir in $(dirs $CGROUPS 2>/dev/null); do
			sample_one "$dir" 2>/dev/null
		done
	done
}
sample_one() {
	local one pid
	# most have nobody, and to see that takes no program
	read -r one <"$CGROUPS/$1/cgroup.procs" || return 0
	sort "$CGROUPS/$1/cgroup.procs" >$TMP/before || return 0
	sort "$MW/$1/cgroup.procs" >$TMP/mirrored || : >$TMP/mirrored
	sort "$CGROUPS/$1/cgroup.procs" >$TMP/after || return 0
	comm -12 $TMP/before $TMP/after >$TMP/stayed
	case $1 in
	# what stands still is no storm
	*mw-* | *user-* | *libpod*) [ ! -s $TMP/stayed ] || echo >>$UNITS/samples ;;
	esac
	for pid in $(comm -23 $TMP/stayed $TMP/mirrored); do
		is_ending "$pid" || echo "in $1, and not in its group: $pid" >>$UNITS/escaped
	done
}
# Who ends is in no group from then on; the kernel has him in his cgroup until his memory, his files and more have gone. PF_EXITING.
is_ending() {
	local stat
	read -r stat <"/proc/$1/stat" || return 0
	# shellcheck disable=SC2086 # words
	set -- ${stat##*) }
	[ $(($7 & 4)) != 0 ]
}

make_storm() {
	local name
	make_units
	rm -f $UNITS/done.* $UNITS/times.*
	: >$UNITS/failed
	: >$UNITS/samples
	: >$UNITS/seen_by_containers
	cat >$UNITS/delegated <<-'END'
		#!/bin/sh -e
		own=/sys/fs/cgroup$(cut -d: -f3- /proc/self/cgroup)
		for nr in 1 2 3 4; do
			mkdir "$own/$nr" "$own/$nr/below"
			sh -c 'echo $$ >$1/cgroup.procs && exec /run/mw-units/unit' sh "$own/$nr/below"
			rmdir "$own/$nr/below" "$own/$nr"
		done
	END
	cat >$UNITS/session <<-'END'
		#!/bin/sh -e
		case $(cat /proc/self/cgroup) in
		*/session-*.scope) ;;
		*) echo "no session: $(cat /proc/self/cgroup)"; exit 1 ;;
		esac
		/run/mw-units/unit
		export XDG_RUNTIME_DIR=/run/user/$(id -u)
		systemd-run --user -q --wait --collect /run/mw-units/unit
	END
	chmod 755 $UNITS/delegated $UNITS/session
	id mw-user >/dev/null 2>&1 || useradd mw-user
	printf 'account required pam_permit.so\nsession required pam_systemd.so\n' >/etc/pam.d/mw
	mkdir -p $UNITS/root/bin $UNITS/root/proc $UNITS/root/sys $UNITS/root/dev $UNITS/root$UNITS
	cp /bin/busybox $UNITS/root/bin
	for name in sh grep cut cat dd sleep; do
		ln -sf busybox $UNITS/root/bin/$name
	done
}

clear_storm() {
	podman rm -af || true
	loginctl terminate-user mw-user || true
	systemctl stop 'mw-*' mw.slice || true
	umount $MW
	userdel mw-user || true
	rm -rf $UNITS /etc/pam.d/mw
}

is_over() { [ ! "$(dirs $CGROUPS | grep -E '/(mw[-.]|libpod-)|/user-[0-9]')" ]; }

# Units of each kind, sessions and containers come and go at once. Whoever is born is in the group of its cgroup, and when all are gone so are
# their groups.
limit_mirror_in_a_storm=3600
test_mirror_in_a_storm() {
	local pids
	rmdir "$G"
	umount $MW
	mount_mirror
	trap clear_storm EXIT
	make_storm
	stream $((5 * ROUNDS)) unit_of_each_kind &
	pids=$!
	stream $((5 * ROUNDS)) delegated &
	pids="$pids $!"
	stream $((3 * ROUNDS)) session &
	pids="$pids $!"
	stream $((4 * ROUNDS)) container &
	pids="$pids $!"
	sample &
	# shellcheck disable=SC2086 # words
	wait $pids $!
	is "what has failed" "$(cat $UNITS/failed)" ""
	is "who was not in its group" "$(cat $UNITS/escaped)" ""
	is "who has looked" "$(wc -l <$UNITS/inside)" $((16 * $(times_of unit_of_each_kind) + 16 * $(times_of delegated) + 8 * $(times_of session) +
		4 * $(wc -l <$UNITS/seen_by_containers)))
	at_least "how often somebody's of the storm was looked at" "$(wc -l <$UNITS/samples)" 5
	end_sessions
	systemctl stop mw.slice
	await 120 is_over
	is "groups that are missing" "$(stat_of $MW mirror_missing memward.status)" 0
	await 20 is_the_same
	audit_is_clean
}

# --- a day ---------------------------------------------------------------------------------------------------------

# A container host's day (storm.sh) in cgroups, which the mirror follows, beside ten units that are restarted one after the other, and a reader of all
# statistics.
limit_a_day_of_units=$((DAY * 5 + 1200))
test_a_day_of_units() {
	local line_limit=$((DAY * 2 + 120)) records nr pids
	rmdir "$G"
	umount $MW
	mount_mirror
	trap clear_day EXIT
	cat >/run/systemd/system/mw-day@.service <<-END
		[Service]
		Slice=mwday.slice
		ExecStart=/bin/sh -c 'dd if=/dev/zero of=$DISK/unit.%i bs=64K count=16 2>/dev/null; exec sleep infinity'
	END
	systemctl daemon-reload
	systemctl start mw-day@1
	put $MW/mwday.slice/memory.max 16M
	rm -f $TMP/evening
	: >$TMP/restarts
	: >$TMP/statistics
	restart_by_turns &
	pids=$!
	read_all_statistics &
	pids="$pids $!"
	run $CGROUPS morning day host $CGROUPS/mwday.slice $DISK $((DAY / 2)) 4
	say "$line"
	records=$(records)
	next_step evening
	say "$line"
	: >$TMP/evening
	# shellcheck disable=SC2086 # words
	wait $pids || fail "somebody beside it has failed: $(cat $TMP/restarted)"
	say "records: $records, then $(records); $(wc -l <$TMP/restarts) restarts"
	at_least "restarts" "$(wc -l <$TMP/restarts)" 10
	at_least "groups" "$(word 2)" 20
	at_least "statistics that were read" "$(awk '{ sum += $1 } END { print sum + 0 }' $TMP/statistics)" 100
	at_least "times that the limit was in the way" "$(stat_of $MW/mwday.slice max memory.events)" 1
	at_most "records" "$(records)" $((records + 64))
	at_most "owners that removed groups have left" "$(orphans)" $MOST_ORPHANS
	for nr in 1 2 3 4 5 6 7 8 9 10; do
		is_main_pid_in "$MW/mwday.slice/mw-day@$nr.service" "mw-day@$nr.service"
	done
	finish
	systemctl stop 'mw-day@*'
	await 20 is_the_same
	audit_is_clean
}
restart_by_turns() {
	local nr=0
	until [ -e $TMP/evening ] && [ $nr = 0 ]; do
		systemctl restart "mw-day@$((nr + 1))" 2>$TMP/restarted
		echo >>$TMP/restarts
		nr=$(((nr + 1) % 10))
	done
}
read_all_statistics() {
	until [ -e $TMP/evening ]; do
		find $MW -name memory.stat -exec cat {} + 2>/dev/null | grep -c '^anon ' >>$TMP/statistics || true
	done
}
clear_day() {
	: >$TMP/evening
	systemctl stop 'mw-day@*' mwday.slice || true
	await 60 umount $MW
	rm -f /run/systemd/system/mw-day@.service $DISK/unit.* $DISK/day.* /tmp/day.*
}

# --- stress-ng -------------------------------------------------------------------------------------------------------

# stress GROUP OPTIONS...: it locks nothing in memory. Now and then stress-ng would, all that it is given: two of them at once are more than
# the limit.
stress() {
	local group=$1
	shift
	# shellcheck disable=SC2016 # for the inner shell
	in_group "$group" setpriv --bounding-set=-ipc_lock --inh-caps=-ipc_lock sh -c 'ulimit -l 0 && exec stress-ng "$@"' sh "$@"
}

# stress_at LIMIT OPTIONS...: it comes to its end, finds its memory as it has left it, is never above the limit, and nobody
# is killed.
stress_at() {
	put "$G/memory.max" "$1"
	shift
	watch "$G"
	stress "$G" --temp-path "$DISK" --verify "$@" >"$TMP/stress" 2>&1 || fail "stress-ng: $(cat "$TMP/stress")"
	watched
	# who ends is charged above it, for a page or two
	at_most "what it had in memory" "$most" $(($(cat "$G/memory.max") + 64 * KB))
	nobody_was_killed "$G"
}
was_limited() { is_limited "$G" max 0 || fail "it never came to its limit: $(cat "$G/memory.events")"; }

limit_stress_vm=600
test_stress_vm() {
	stress_at 64M --vm 2 --vm-bytes 100M --vm-ops $((20000 * ROUNDS))
	was_limited
}

limit_stress_mmap=600
test_stress_mmap() {
	stress_at 64M --mmap 2 --mmap-bytes 100M --mmap-ops $((12 * ROUNDS))
	was_limited
}

limit_stress_shm=600
test_stress_shm() {
	stress_at 32M --shm 2 --shm-bytes 8M --shm-objs 8 --shm-ops $((20 * ROUNDS))
	was_limited
}

limit_stress_hdd=600
test_stress_hdd() {
	stress_at 32M --hdd 2 --hdd-bytes 100M --hdd-ops $((4000 * ROUNDS))
	was_limited
}

# These two have little memory of their own: without a limit 20 MB at the most.
limit_stress_fork=600
test_stress_fork() {
	stress_at 4M --fork 4 --fork-ops $((2000 * ROUNDS))
	was_limited
}

limit_stress_pipe_and_sock=600
test_stress_pipe_and_sock() {
	stress_at 4M --pipe 2 --pipe-ops $((40000 * ROUNDS)) --sock 2 --sock-ops $((400 * ROUNDS))
	was_limited
}

# For a minute, not for a number of operations: some would be done long before others.
limit_stress_all_at_once=600
test_stress_all_at_once() {
	stress_at 64M --timeout $((60 * ROUNDS)) --vm 1 --vm-bytes 48M --mmap 1 --mmap-bytes 32M --shm 1 --shm-bytes 8M --shm-objs 4 \
		--hdd 1 --hdd-bytes 32M --fork 2 --pipe 1 --sock 1
	was_limited
}
