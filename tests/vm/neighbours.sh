# SPDX-License-Identifier: GPL-2.0
# Others who attach to the functions that memward has: tracers, probes, BPF, a second livepatch (tests/modules/mw_foreign).
# In a boot of its own, which has the module in /copy.

FOREIGN=/sys/kernel/livepatch/mw_foreign
OURS=/sys/kernel/livepatch/memward
# what no memward knows: a livepatch of it is nobody's business
ELSEWHERE=cmdline_proc_show

hooks() { awk '$4 == "attached" && $3 != "tracepoint" && $3 != "covered" { print $2 }' $MW/memward.status | sort -u; }
hook_of() { awk -v feature="$1" '$1 == feature { print $2 }' $MW/memward.status; }
# the whole row from its state on, without the hits
state_of() { awk -v feature="$1" '$1 == feature { $1 = $2 = $3 = $5 = ""; print }' $MW/memward.status | xargs; }

# memward does its work: what is touched is charged, what is freed is not any more. Page by page, for who counts along.
it_charges() {
	run "$G" touched mem anon 8M small
	stat_is "$G" anon $((8 * MB)) 5
	next_step freed
	drain
	stat_below "$G" anon $((1 * MB))
	finish
	drain
	is "anon after the end" "$(stat_of "$G" anon)" 0
	audit_is_clean
}

it_charges_nothing() {
	local before
	before=$(stat_of "$G" pgpgin)
	run "$G" touched mem anon 8M
	is "pages charged" "$(stat_of "$G" pgpgin)" "$before"
	finish
	audit_is_clean
}

leave() {
	rmdir "$G"
	umount $MW
}
enter() {
	mount_memward
	mkdir "$G"
}
nothing_is_attached() {
	[ ! -e $OURS ] || fail "there is a livepatch"
	! grep mem_cgroup_migrate $TRACING/enabled_functions || fail "a function is watched"
}

# --- a second livepatch ------------------------------------------------------------------------------------

is_settled() { [ "$(cat $FOREIGN/transition)" = 0 ]; }
is_gone() { [ ! -e $1 ]; }

# foreign_in SYMBOL [PARAMETER]...
foreign_in() {
	insmod /copy/mw_foreign.ko symbol="$@"
	await 60 is_settled
}
foreign_out() {
	put $FOREIGN/enabled 0
	await 60 is_gone $FOREIGN
	rmmod mw_foreign
}
foreign_hits() { cat /sys/module/mw_foreign/parameters/hits; }

mount_is_refused() {
	attempt EBUSY mount memward $MW ""
	nothing_is_attached
}

limit_livepatch_before=200
test_livepatch_before() {
	local symbol hits
	symbol=$(hook_of charge)
	expect_log "memward: $symbol is livepatched by mw_foreign already"
	expect_log "memward: attaching by livepatch failed: error -16"
	leave
	foreign_in "$symbol"
	mount_is_refused
	hits=$(foreign_hits)
	mem anon 1M &
	await 20 is_hit "$hits"
	mount_is_refused
	foreign_out
	enter
	it_charges
}
is_hit() { [ "$(foreign_hits)" -ge $(($1 + 200)) ]; }

limit_a_tracer_that_is_off=200
test_a_tracer_that_is_off() {
	local setting=/proc/sys/kernel/ftrace_enabled
	leave
	trap 'echo 1 2>/dev/null >/proc/sys/kernel/ftrace_enabled || true' EXIT
	if ! echo 0 2>/dev/null >$setting; then
		enter
		skip "the tracer cannot be switched off"
	fi
	expect_log "memward: the kernel's tracer is switched off: sysctl kernel.ftrace_enabled=1"
	expect_log "memward: attaching by ftrace failed: error -16"
	mount_is_refused
	put $setting 1
	enter
	it_charges
}

# The newer one wins, so memward is not called any more: it says so, and what it has charged already is freed as ever.
limit_livepatch_after=200
test_livepatch_after() {
	local symbol hits
	symbol=$(hook_of charge)
	expect_log "memward: $symbol was livepatched by mw_foreign: memward charges nothing there while that is loaded"
	run "$G" touched mem anon 8M
	foreign_in "$symbol"
	is "state of charge" "$(state_of charge)" "shadowed livepatched by mw_foreign, which came later"
	is "state of uncharge" "$(state_of uncharge | cut -d' ' -f1)" attached
	stat_is "$G" anon $((8 * MB)) 5
	audit_is_clean
	next_step freed
	drain
	stat_below "$G" anon $((1 * MB))
	finish
	hits=$(foreign_hits)
	it_charges_nothing
	at_least "hits of the other's" "$(foreign_hits)" $((hits + 10))
	foreign_out
	is "state of charge" "$(state_of charge | cut -d' ' -f1)" attached
	it_charges
	is "lines in the log" "$(dmesg | grep -c 'was livepatched')" 1
}

limit_livepatch_after_and_unloading=200
test_livepatch_after_and_unloading() {
	local symbol
	symbol=$(hook_of charge)
	expect_log "memward: $symbol was livepatched by mw_foreign"
	expect_log "memward: $symbol is livepatched by mw_foreign already"
	expect_log "memward: attaching by livepatch failed: error -16"
	foreign_in "$symbol"
	it_charges_nothing
	leave
	nothing_is_attached
	mount_is_refused
	rmmod memward
	modprobe memward
	mount_is_refused
	foreign_out
	enter
	it_charges
}

# A "cumulative" patch switches all others off, whatever they patch.
limit_livepatch_that_replaces_all=200
test_livepatch_that_replaces_all() {
	expect_log "memward: the livepatch mw_foreign replaces all others"
	run "$G" touched mem anon 8M
	foreign_in $ELSEWHERE all=1
	await 20 is_gone $OURS
	is "state of charge" "$(state_of charge)" "lost replaced by the livepatch mw_foreign"
	stat_is "$G" anon $((8 * MB)) 5
	next_step freed
	drain
	stat_below "$G" anon $((1 * MB))
	finish
	it_charges_nothing
	leave
	nothing_is_attached
	# beside it memward works, as long as it has other functions
	enter
	it_charges
	foreign_out
	it_charges
}

limit_livepatch_that_replaces_ours=200
test_livepatch_that_replaces_ours() {
	local symbol
	symbol=$(hook_of charge)
	expect_log "memward: the livepatch mw_foreign replaces all others"
	expect_log "memward: $symbol is livepatched by mw_foreign already"
	expect_log "memward: attaching by livepatch failed: error -16"
	foreign_in "$symbol" all=1
	await 20 is_gone $OURS
	is "state of charge" "$(state_of charge)" "lost replaced by the livepatch mw_foreign"
	it_charges_nothing
	leave
	mount_is_refused
	rmmod memward
	foreign_out
	modprobe memward
	enter
	it_charges
}

test_livepatch_of_something_else() {
	foreign_in $ELSEWHERE
	cat /proc/cmdline >/dev/null
	at_least "its hits" "$(foreign_hits)" 1
	is "state of charge" "$(state_of charge | cut -d' ' -f1)" attached
	it_charges
	foreign_out
}

# Of what memward looks at there may be any number of livepatches.
limit_livepatch_of_what_is_watched=200
test_livepatch_of_what_is_watched() {
	local symbol
	symbol=$(hook_of uncharge)
	foreign_in "$symbol"
	it_charges
	at_least "its hits" "$(foreign_hits)" 1
	leave
	enter
	it_charges
	foreign_out
	it_charges
}

# Who comes with a livepatch of what some are diverted from gets the function: memward can do without it, and takes it again later.
limit_livepatch_of_what_is_diverted=200
test_livepatch_of_what_is_diverted() {
	local symbol
	symbol=$(hook_of write)
	expect_log "memward: $symbol cannot be diverted .error -16.: a large write.. is slowed at its end only"
	is "state of write" "$(state_of write | cut -d' ' -f1)" attached
	foreign_in "$symbol"
	is "state of write beside the livepatch" "$(state_of write | cut -d' ' -f1)" ready
	is "state of another diversion beside the livepatch" "$(state_of limited | cut -d' ' -f1)" attached
	writes_slowly
	at_least "hits of the livepatch's" "$(foreign_hits)" 1
	leave
	enter
	is "state of write behind the livepatch" "$(state_of write | cut -d' ' -f1)" ready
	it_charges
	foreign_out
	is "state of write after it" "$(state_of write | cut -d' ' -f1)" attached
	writes_slowly
	is "lines in the log" "$(dmesg | grep -c 'cannot be diverted')" 2
}
# One write() that its group has no room for: it ends, and what it has written is there.
writes_slowly() {
	put "$G/memory.max" 24M
	put "$G/memory.dirty_ratio" 5
	in_group "$G" dd if=/dev/zero of=$DISK/written bs=8M count=1 2>/dev/null
	is "its size" "$(stat -c %s $DISK/written)" $((8 * MB))
	rm $DISK/written
	put "$G/memory.max" max
}

test_livepatch_disabled_by_hand() {
	run "$G" touched mem anon 8M
	put $OURS/enabled 0
	await 60 is_gone $OURS
	is "state of charge" "$(state_of charge)" "lost disabled in /sys/kernel/livepatch"
	next_step freed
	drain
	stat_below "$G" anon $((1 * MB))
	finish
	it_charges_nothing
	leave
	enter
	is "state of charge" "$(state_of charge | cut -d' ' -f1)" attached
	it_charges
}

# --- tracers -----------------------------------------------------------------------------------------------

trace_off() {
	put $TRACING/current_tracer nop
	: >$TRACING/set_ftrace_filter
}

# 5.10's function_graph knows a function that is replaced by its replacement's name.
traced() {
	local symbol
	for symbol in "$(hook_of charge)|mw_wrap_charge" "$(hook_of uncharge)"; do
		grep -qwE "$symbol" $TRACING/trace || fail "$symbol is not in the trace"
	done
	: >$TRACING/trace
}

# tracer NAME: on all hooked functions and all of memward's own; first beside a mounted memward, then one is mounted.
tracer() {
	hooks >$TMP/hooks
	it_charges
	cat $TMP/hooks >$TRACING/set_ftrace_filter
	echo ':mod:memward' >>$TRACING/set_ftrace_filter
	put $TRACING/current_tracer "$1"
	it_charges
	traced
	leave
	enter
	it_charges
	traced
	trace_off
	it_charges
}

limit_function_tracer=200
test_function_tracer() { tracer function; }

limit_function_graph_tracer=200
test_function_graph_tracer() {
	grep -qw function_graph $TRACING/available_tracers || skip "the kernel has no function_graph"
	tracer function_graph
}

# Everything in the kernel: memward's own callback must not be entered by way of what it calls.
limit_tracing_all_functions=200
test_tracing_all_functions() {
	put $TRACING/current_tracer function
	run "$G" touched mem anon 1M
	finish
	at_least "functions in the trace" "$(traced_functions)" 1000
	put $TRACING/current_tracer nop
	audit_is_clean
	it_charges
}

traced_functions() { cat $TRACING/per_cpu/cpu*/stats | awk '$1 == "entries:" { sum += $2 } END { print sum + 0 }'; }

# --- probes ------------------------------------------------------------------------------------------------

probes_on() {
	local symbol
	for symbol in $(cat $TMP/hooks); do
		echo "p:probe_$symbol $symbol" >>$TRACING/kprobe_events
		echo "r:return_$symbol $symbol" >>$TRACING/kprobe_events
	done
	put $TRACING/events/kprobes/enable 1
}
probes_off() {
	put $TRACING/events/kprobes/enable 0
	: >$TRACING/kprobe_events
}
probe_hits() { awk -v name="$1" '$1 == name { print $2 }' $TRACING/kprobe_profile; }
probes_hit() {
	local symbol kind
	for symbol in $(hook_of charge) $(hook_of uncharge); do
		for kind in probe return; do
			at_least "hits of ${kind}_$symbol" "$(probe_hits "${kind}_$symbol")" 1
		done
	done
}

limit_kprobes=200
test_kprobes() {
	hooks >$TMP/hooks
	probes_on
	it_charges
	probes_hit
	leave
	enter
	it_charges
	probes_off
	probes_on
	leave
	probes_off
	enter
	it_charges
}

# --- BPF ---------------------------------------------------------------------------------------------------

fentry_on() {
	start /sys/fs/cgroup fentry on "$1"
	fentry_pid=$pid fentry_out=$out
}
# Sets line to "runs N"; it goes.
fentry_off() {
	pid=$fentry_pid out=$fentry_out seen=1
	next_step runs
	finish
}

has_run() { at_least "runs of the program" "${line#runs }" 1; }

# A trampoline of BPF and a livepatch do not go together before 6.0: whoever comes second is refused.
fentry_after() {
	fentry_on "$1"
	case $line in
	attached)
		it_charges
		fentry_off
		has_run
		;;
	"refused EBUSY")
		is "who is in the way" "$2" refused
		finish
		;;
	*) fail "$line" ;;
	esac
	it_charges
}

limit_fentry_after=200
test_fentry_after() {
	put /proc/sys/kernel/bpf_stats_enabled 1
	fentry_after "$(hook_of charge)" "$(is_bpf_shared || echo refused)"
	fentry_after "$(hook_of uncharge)"
}
is_bpf_shared() { [ "$(uname -r | cut -d. -f1)" -ge 6 ]; }

limit_fentry_before=200
test_fentry_before() {
	local charge uncharge
	charge=$(hook_of charge) uncharge=$(hook_of uncharge)
	put /proc/sys/kernel/bpf_stats_enabled 1
	leave
	fentry_on "$uncharge"
	at_step attached
	enter
	it_charges
	fentry_off
	has_run
	leave
	fentry_on "$charge"
	at_step attached
	if is_bpf_shared; then
		enter
		it_charges
		fentry_off
		has_run
		it_charges
	else
		expect_log "memward: another tool has redirected a function that memward needs"
		expect_log "memward: attaching by livepatch failed: error -16"
		mount_is_refused
		fentry_off
		enter
		it_charges
	fi
}

# --- the tools that people use -----------------------------------------------------------------------------

# have_tool NAME: of the kernel's release, as scripts/machine/tools brings them.
have_tool() {
	[ -e "/copy/tools/bin/$1" ] || skip "no mirror has $1 for this kernel's release"
	mkdir -p /lib64
	ln -sfn /copy/tools/lib/ld-linux-x86-64.so.2 /lib64/
	export LD_LIBRARY_PATH=/copy/tools/lib PATH=/copy/tools/bin:$PATH HOME=$TMP
	hooks >$TMP/hooks
}

# look COMMAND...: in the background, until look_away. It ends in a command of its own (while_looking), as both tools
# want it, which they start when all their probes are in place.
look() {
	rm -f $TMP/looking $TMP/enough
	"$@" >$TMP/seen 2>&1 &
	looker=$!
	await 100 is_looking
}
is_looking() {
	[ -d "/proc/$looker" ] || fail "$(cat $TMP/seen)"
	[ -e $TMP/looking ]
}
look_away() {
	: >$TMP/enough
	wait "$looker" || fail "it ended with status $?: $(cat $TMP/seen)"
}
while_looking() {
	cat >$TMP/while_looking <<-END
		: >$TMP/looking
		until [ -e $TMP/enough ]; do sleep 0.1; done
	END
	# bpftrace takes no script for a program
	echo /bin/busybox sh $TMP/while_looking
}

# bpftrace_program KIND...: counts the hits of these probes on what is listed in $TMP/hooks.
bpftrace_program() {
	local kind symbol
	for kind; do
		while read -r symbol; do
			printf '%s:%s { @%s_%s = count(); } ' "$kind" "$symbol" "$kind" "$symbol"
		done <$TMP/hooks
	done
}
# saw_pages COUNTER: one that counts on entry to the function of a feature, as "COUNTER SYMBOL" prints it, has seen what
# memward was at work on, twice: each page is charged, and uncharged with at most some hundreds of others.
saw_pages() {
	at_least "seen of charges" "$("$1" "$(hook_of charge)")" $((2 * 8 * MB / 4096))
	at_least "seen of uncharges" "$("$1" "$(hook_of uncharges)")" 50
}
bpftrace_kprobe() { awk -v name="@kprobe_$1:" '$1 == name { print $2 }' $TMP/seen; }
bpftrace_kfunc() { awk -v name="@kfunc_$1:" '$1 == name { print $2 }' $TMP/seen; }

# bpftrace_beside KIND KIND: memward works beside it, and may come second.
bpftrace_beside() {
	look bpftrace -c "$(while_looking)" -e "$(bpftrace_program "$@")"
	it_charges
	leave
	enter
	it_charges
	look_away
	it_charges
}

limit_bpftrace_kprobes=400
test_bpftrace_kprobes() {
	have_tool bpftrace
	bpftrace_beside kprobe kretprobe
	saw_pages bpftrace_kprobe
}

limit_bpftrace_fentry=400
test_bpftrace_fentry() {
	have_tool bpftrace
	if ! is_bpf_shared; then
		bpftrace_is_refused "$(hook_of charge)"
		grep -vx "$(hook_of charge)" $TMP/hooks >$TMP/others
		mv $TMP/others $TMP/hooks
	fi
	bpftrace_beside kfunc kretfunc
	! is_bpf_shared || saw_pages bpftrace_kfunc
}
bpftrace_is_refused() {
	! bpftrace -c /bin/true -e "kfunc:$1 { @ = count(); }" >$TMP/seen 2>&1 || fail "fentry of $1 was not refused"
	! grep -q "not available" $TMP/seen || skip "this bpftrace has no fentry"
	grep -q "$1" $TMP/seen || fail "the refusal does not name $1: $(cat $TMP/seen)"
	it_charges
}

# event_of SYMBOL: newer perfs name an event so by themselves, older ones do not.
event_of() { echo "${1#__}"; }
perf_samples() { grep -c "probe:$(event_of "$1"):" $TMP/seen || true; }

limit_perf=400
test_perf() {
	local symbol
	have_tool perf
	# all by one command: each reads the kernel's symbols first
	set --
	while read -r symbol; do
		set -- "$@" --add "$(event_of "$symbol")=$symbol"
	done <$TMP/hooks
	perf probe -q "$@" </dev/null >$TMP/seen 2>&1 || fail "perf has no probe of one of these: $(cat $TMP/seen)"
	# shellcheck disable=SC2046 # words
	# -m: room for all it sees, as it may not get to run meanwhile
	look perf record -q -m 1024 -a -g -e 'probe:*' -o $TMP/perf.data -- $(while_looking)
	it_charges
	leave
	enter
	it_charges
	look_away
	perf script -i $TMP/perf.data -F event,ip,sym >$TMP/seen 2>$TMP/errors || fail "$(cat $TMP/errors)"
	saw_pages perf_samples
	perf probe -q --del '*'
	it_charges
}

# memward's own events, for who does not look into tracefs himself.
limit_perf_and_trace_cmd_know_the_events=400
test_perf_and_trace_cmd_know_the_events() {
	local nr
	have_tool perf
	nr=$(ls -d $EVENTS/*/ | count)
	at_least "events" "$nr" 10
	is "events in perf's list" "$(perf list 'memward:*' 2>/dev/null | grep -c 'memward:memward_[a-z_]* .*Tracepoint event')" "$nr"
	is "events in trace-cmd's list" "$(trace-cmd list -e '^memward:' | grep -c '^memward:memward_')" "$nr"
	trace-cmd record -q -e memward -o $TMP/trace.dat mkdir "$G/a" >/dev/null 2>$TMP/errors || fail "$(cat $TMP/errors)"
	is "groups that trace-cmd saw made" "$(trace-cmd report -i $TMP/trace.dat 2>/dev/null | grep -c "memward_group_create:.* path=${G#$MW}/a\$")" 1
}

limit_bpftrace_knows_the_events=400
test_bpftrace_knows_the_events() {
	have_tool bpftrace
	bpftrace -c "/bin/busybox mkdir $G/a" -e 'tracepoint:memward:memward_group_create { @made = count(); }' >$TMP/seen 2>&1 || fail "$(cat $TMP/seen)"
	is "groups that bpftrace saw made" "$(awk '$1 == "@made:" { print $2 }' $TMP/seen)" 1
}

# A tracer that does not let go of what memward watches, and of what it diverts from, is broken. What it calls then has to stay, and does nothing.
# Behind all others: nobody can mount memward after that.
soak_a_tracer_that_does_not_let_go='it has not passed twenty times yet'
test_a_tracer_that_does_not_let_go() {
	expect_log 'memward: the tracer does not let go \(error -16\): memward can be neither unloaded nor mounted again until the machine is booted$'
	expect_log 'memward: attaching by ftrace failed: error -19$'
	rmdir "$G"
	divert unregister_ftrace_function from=memward ret=-16
	umount $MW
	end_divert
	grep -q '^mem_cgroup_migrate ' $TRACING/enabled_functions || fail "it has let go all the same"
	at_least "what keeps the module" "$(cat /sys/module/memward/refcnt)" 1
	if rmmod memward 2>/dev/null; then fail "it was unloaded"; fi
	attempt ENODEV mount memward $MW ""
	HURRY=1 mem anon 10M >/dev/null
	compact
	[ ! -e $OURS ] || fail "there is a livepatch"
}
