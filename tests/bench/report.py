#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""report.py JSON FILE...

Makes the tables of `scripts/bench` from what its guests printed, one FILE for each kernel, and writes all numbers to
the file JSON. Exits with 1 if a requirement does not hold, and says which. What was not measured has no cell.
"""
import json
import statistics
import sys

STATES = {
    'loaded': 'memward loaded, not mounted',
    'unmounted': 'memward unmounted again',
    'unattached': 'mounted, process in no group',
    'memward': 'process in a second-level memward group',
    'memcg': 'process in a second-level kernel memcg group',
    'both': 'process in both',
}

# Instructions. The counts themselves repeat to less than one.
MAX_UNMOUNTED = 2
MAX_UNATTACHED = 150
MAX_RATIO = 1.4
GOAL_UNATTACHED = 80
GOAL_RATIO = 0.8
STABLE = 1.0

CPUS = 2
GOAL_BYTES = 4096 + 128 * CPUS

# A job at its limit, and what memory.reclaim takes beside what was asked for.
MIN_THROUGHPUT = 0.9
MAX_OVER = 0.02
PERCENTS = 25, 50, 90

# A file is fetched below this limit; each CPU may hold a batch more.
COPY_LIMIT = (128 << 20) + CPUS * 64 * 4096
MIN_LOOKS = 100

# Pages of 10 MB in use that a file which is read once may push out: 1 %.
MAX_PUSHED_OUT = 26

# "mm: Proportional memory.{low,min} reclaim": pages of a group of 190 MB scanned for each memory.low, in percent of those
# without it. Then how far off is allowed, what must be kept at the highest, and how many times as many pages reclaim may look
# at for each that it frees if 90 % are protected.
PUBLISHED_SHARES = {210: 0, 170: 23, 120: 34, 80: 64, 40: 96, 0: 95}
SHARE_SLACK = 20
MIN_KEPT = 188 << 20
MAX_HARM = 2
HARM_PERCENTS = 0, 50, 90
LRUS = {'gen': 'MGLRU', 'classic': 'classic LRU'}

# Bytes of a stack of 16384, and how often one has to be looked at for that to say something.
MAX_STACK = 12288
MIN_STACK_LOOKS = 1000
STACKS = 'ext4', 'xfs', 'btrfs'

# What may become of the cost of one group's work if there are so many more groups beside it.
SCALES = 1, 10, 300, 3000, 10000
# processors that there could be, and groups then
POSSIBLE = 16, 64
POSSIBLE_SCALES = 10, 500
# processors of a machine whose locks are counted, and groups in it
PROCESSORS = 2, 16, 64
LOCK_SCALES = 10, 500, 10000
MAX_STREAM = 1.3
MAX_CALL = 1.2
CALLS = {'mkdir': 'mkdir', 'rmdir': 'rmdir', 'stat': 'memory.stat', 'current': 'memory.current', 'procs': 'cgroup.procs',
         'readdir': 'readdir'}

# "Opportunistic memory reclaim": seconds to suspend a machine of 8 GB, without and with memory.swap.reclaim.
PUBLISHED_HIBERNATION = {'default': (49.07, 3.40), '0': (71.55, 4.72)}


# --- reading --------------------------------------------------------------------------------------------------


def number(word):
    """What is one, as one."""
    return int(word) if word.isdigit() else word


# What becomes of a process, best first. An error is one that it is told of, and may do something about.
OUTCOMES = 'done', 'killed', 'hangs', 'wrong'


def badness(outcome):
    """Of an outcome; that of an error, or of a signal that tells of one, is between those of done and killed."""
    return OUTCOMES.index(outcome) if outcome in OUTCOMES else 0.5


def run_again(case, who, run):
    """One more run of a case: what counts is the one in the middle, and each audit."""
    runs = case.setdefault('runs', {}).setdefault(who, [])
    runs.append(run)
    ordered = sorted(runs, key=lambda one: (badness(one.get('outcome', '')), one.get('ms', 0)))
    case[who] = dict(ordered[len(runs) // 2])
    if any(one.get('audit', 'ok') != 'ok' for one in runs):
        case[who]['audit'] = 'wrong'


def read_line(kernel, part, words):
    """A line of a guest; "groups" lines are instructions in the part icount, else ns."""
    what, *rest = words
    if what == 'kernel':
        kernel['release'] = rest[0]
    elif what == 'faults':
        kernel['faults'][rest[0]] = [float(w) for w in rest[1:]]
    elif what == 'groups':
        kernel['instructions' if part == 'icount' else 'ns'][rest[0]] = dict(zip(('mkdir', 'rmdir'), map(int, rest[1:])))
    elif what == 'bytes' and part != 'icount':
        kernel['bytes'][rest[0]] = dict(zip(('held', 'slab', 'percpu', 'left'), map(int, rest[1:])))
    elif what == 'cycle':
        kernel['rates'].setdefault(rest[1], {}).setdefault(rest[0], []).append(int(rest[2]))
    elif what == 'build':
        kernel['rates'].setdefault('build', {}).setdefault(rest[0], []).append(1000 / int(rest[1]))
    elif what == 'taken':
        kernel['taken'][rest[0]] = int(rest[2]) / int(rest[1])
    elif what == 'beside':
        kernel['beside'].setdefault(rest[0], []).append(int(rest[1]))
    elif what == 'refaults':
        kernel['refaults'][rest[0]] = int(rest[1])
    elif what == 'copy':
        most, looks, left, before, after, refaults, seconds = rest[1:]
        kernel['copy'][rest[0]] = {
            'most': None if most == '-' else int(most), 'looks': None if looks == '-' else int(looks),
            'left': None if left == '-' else int(left), 'cached': (int(before) * 1024, int(after) * 1024),
            'refaults': int(refaults), 'seconds': int(seconds)}
    elif what == 'share':
        runs = kernel['share_runs'].setdefault(rest[1], {}).setdefault(rest[0], {})
        runs.setdefault(int(rest[2]), []).append([int(w) for w in rest[3:]])
    elif what in ('left', 'after', 'latency', 'squeezed'):
        kernel['pressure'].setdefault(what, {})[rest[0]] = [int(w) if w.isdigit() else w for w in rest[1:]]
    elif what == 'harm':
        kernel['harm'].setdefault(rest[0], {})[int(rest[1])] = dict(
            zip(('scanned', 'freed', 'ticks'), map(int, rest[2:])))
    elif what == 'filesystem':
        run_again(kernel['filesystems'].setdefault(rest[0], {}), rest[1], dict(
            zip(('outcome', 'ms', 'most', 'audit'), map(number, rest[2:]))))
    elif what == 'fault':
        run_again(kernel['faults_below'].setdefault(rest[0], {}), rest[1], dict(
            zip(('outcome', 'ms', 'audit', 'note'), map(number, rest[2:]))))
    elif what == 'stack':
        kernel['stack'].setdefault(rest[0], {})[rest[1]] = dict(zip(('bytes', 'looks', 'audit'), map(number, rest[2:])))
    elif what == 'scale':
        kernel['scale'].setdefault(rest[0], {})[int(rest[1])] = dict(zip(('stream', *CALLS, 'audit'), map(int, rest[2:])))
    elif what == 'locks':
        kernel['locks'].setdefault(rest[0], {})[f'{rest[1]}/{rest[2]}'] = dict(
            zip(('taken', 'interrupts'), map(int, rest[3:])))
    elif what == 'day':
        kernel['day'].setdefault(rest[0], []).append([int(w) for w in rest[1:]])
    elif what == 'hibernation':
        kernel['hibernation'][rest[0]] = dict(zip(('suspend', 'kbytes', 'write', 'read'), map(float, rest[1:])))
    elif what == 'intact':
        kernel['intact'] = kernel.get('intact', 0) + 1


def read(name):
    """What the guests of a kernel printed."""
    kernel = {key: {} for key in ('faults', 'bytes', 'ns', 'instructions', 'rates', 'taken', 'beside', 'refaults', 'copy',
                                  'share_runs', 'shares', 'harm', 'pressure', 'hibernation', 'filesystems', 'faults_below', 'stack',
                                  'scale', 'locks', 'day')}
    part = None
    with open(name, encoding='ascii') as lines:
        for words in map(str.split, lines):
            if words[0] == 'part':
                part = words[1]
            else:
                read_line(kernel, part, words)
    return kernel


def derive(kernel):
    """Medians, differences and ratios of what was measured."""
    if kernel['faults']:
        usual = {state: statistics.median(values) for state, values in kernel['faults'].items()}
        kernel['fault'] = usual['bare']
        kernel['added'] = {state: round(usual[state] - usual['bare'], 1) for state in STATES}
        kernel['ratio'] = round(kernel['added']['memward'] / kernel['added']['memcg'], 3)
        kernel['spread'] = round(max(max(v) - min(v) for v in kernel['faults'].values()), 1)
    for lru, of_lru in kernel['share_runs'].items():
        kernel['shares'][lru] = {
            who: {low: [statistics.median(values) for values in zip(*runs)] for low, runs in levels.items()}
            for who, levels in of_lru.items()}
    kernel['throughput'] = {
        job: round(statistics.median(rates['memward']) / statistics.median(rates['memcg']), 2)
        for job, rates in kernel['rates'].items()}


# --- what is demanded -----------------------------------------------------------------------------------------


def fault_requirements(kernel):
    """What a fault may cost: (held, text)."""
    added, ratio = kernel['added'], kernel['ratio']
    for state in ('loaded', 'unmounted'):
        yield abs(added[state]) <= MAX_UNMOUNTED, (
            f'{STATES[state]}: {added[state]:+} instructions a fault ({MAX_UNMOUNTED} allowed)')
    yield added['unattached'] <= MAX_UNATTACHED, (
        f'{STATES["unattached"]}: {added["unattached"]:+} instructions a fault ({MAX_UNATTACHED} allowed)')
    yield ratio <= MAX_RATIO, f'{STATES["memward"]}: {ratio:.2f} x what kernel memcg adds ({MAX_RATIO} allowed)'


def reclaim_requirements(kernel):
    """What a job gets done at its limit, and what memory.reclaim takes."""
    for job, ratio in kernel['throughput'].items():
        yield ratio >= MIN_THROUGHPUT, f'{JOBS[job]}: {ratio:.2f} x kernel memcg\'s ({MIN_THROUGHPUT} at least)'
    ours, theirs = (statistics.median(kernel['beside'][f'{who}-stream']) for who in ('memward', 'memcg'))
    yield ours <= max(theirs, MAX_PUSHED_OUT), (
        f'{ours:.0f} pages of 2560 in use had to come back beside a stream, with kernel memcg {theirs:.0f}')
    for percent in PERCENTS:
        taken, theirs = kernel['taken'][f'memward-{percent}'], kernel['refaults'].get(f'memcg-{percent}')
        ours = kernel['refaults'][f'memward-{percent}']
        yield taken <= 1 + MAX_OVER, f'memory.reclaim of {percent} % took {taken:.3f} of what was asked for'
        yield theirs is None or ours <= theirs, (
            f'after memory.reclaim of {percent} % {ours} pages had to come back, after kernel memcg\'s {theirs}')


def copy_requirements(kernel):
    """What a large copy leaves to its neighbour."""
    ours, theirs = kernel['copy']['memward'], kernel['copy']['memcg']
    yield ours['looks'] >= MIN_LOOKS, f'a file was fetched: {ours["looks"]} looks at what the group had ({MIN_LOOKS} at least)'
    for what, text in ('most', 'the group had'), ('left', 'at the end in memory were'):
        yield ours[what] <= COPY_LIMIT, f'a file was fetched: {text} {ours[what]} bytes ({COPY_LIMIT} allowed)'
    yield ours['refaults'] <= theirs['refaults'], (
        f'a file was fetched: its neighbour had to read {ours["refaults"]} pages anew, '
        f'beside kernel memcg {theirs["refaults"]}')


def percent_scanned(kernel, lru, who, low):
    """Of what was scanned without memory.low."""
    rates = kernel['shares'][lru][who]
    return 100 * rates[low][0] / max(rates[0][0], 1)


def looks(kernel, lru, percent):
    """Pages scanned for each that was freed."""
    harm = kernel['harm'][lru][percent]
    return harm['scanned'] / max(harm['freed'], 1)


def protect_requirements(kernel):
    """What memory.low keeps, and what that costs reclaim."""
    for lru in kernel['shares']:
        last = 0
        for low, published in PUBLISHED_SHARES.items():
            ours = percent_scanned(kernel, lru, 'memward', low)
            yield abs(ours - published) <= SHARE_SLACK, (
                f'{LRUS[lru]}, memory.low {low}M: {ours:.0f} % scanned (published: {published}, {SHARE_SLACK} off allowed)')
            yield ours >= last - SHARE_SLACK / 4, f'{LRUS[lru]}, memory.low {low}M: more scanned than with less'
            last = max(last, ours)
        kept = min(kept for _, kept in kernel['share_runs'][lru]['memward'][210])
        yield kept >= MIN_KEPT, f'{LRUS[lru]}, memory.low 210M: {kept} bytes kept ({MIN_KEPT} at least)'
    for lru in kernel['harm']:
        ratio = looks(kernel, lru, 90) / looks(kernel, lru, 0)
        yield ratio <= MAX_HARM, (
            f'{LRUS[lru]}: with 90 % protected {ratio:.1f} x as many pages scanned for each freed ({MAX_HARM} allowed)')


def pressure_requirements(kernel):
    """What is left of a protected process, and how it fares."""
    left, squeezed = kernel['pressure']['left'], kernel['pressure']['squeezed']
    for setting, least in (('min-210M', 198), ('low-210M', 198), ('low-100M', 90)):
        mib = left[f'memward-{setting}'][0] / 2**20
        yield mib >= least, f'memory.{setting.replace("-", " ")}: {mib:.0f} MiB left of 200 ({least} at least)'
    ours, theirs = squeezed['memward'], squeezed['memcg']
    yield ours[1] == 'yes', 'squeezed: the protected process did not live'
    yield kernel['pressure']['latency']['memward-squeezed'][-1] > 0, (
        'squeezed: the protected process did nothing for a second')
    yield ours[0] >= 0.95 * theirs[0], (
        f'squeezed: the OOM killer came at {ours[0]} MiB, with the kernel\'s memory.low at {theirs[0]}')


def never_worse(cases, told):
    """memward does to no process what memcg would not."""
    for case, who in cases.items():
        if 'memward' not in who:
            continue
        ours, theirs = who['memward'], who['memcg']
        yield badness(ours['outcome']) <= badness(theirs['outcome']), (
            f'{told(case)}: {ours["outcome"]}, with kernel memcg {theirs["outcome"]}')
        yield ours['audit'] == 'ok', f'{told(case)}: the audit is not clean'


def filesystem_requirements(kernel):
    """What a process at its limit gets done on each file system."""
    yield from never_worse(kernel['filesystems'], filesystem_name)


def fault_below_requirements(kernel):
    """What a process at its limit gets when something goes wrong below it."""
    yield from never_worse(kernel['faults_below'], FAULTS.get)


def stack_requirements(kernel):
    """An interrupt, and what a slower disk wants, still have a place on the stack."""
    for name, who in kernel['stack'].items():
        yield who['memward']['bytes'] <= MAX_STACK, f'{name}: {who["memward"]["bytes"]} bytes of stack'
        yield who['memward']['looks'] >= MIN_STACK_LOOKS, f'{name}: only {who["memward"]["looks"]} looks at the stack'
        yield who['memward']['audit'] == 'ok', f'{name}: the audit is not clean'


def scale_requirements(kernel):
    """Reclaim, and what users ask, are flat in the number of groups."""
    of = kernel['scale']['memward']
    for nr in 3000, 10000:
        ratio = of[nr]['stream'] / of[1]['stream']
        yield ratio <= MAX_STREAM, f'a stream in one of {nr} groups: {ratio:.2f} x one in one ({MAX_STREAM} allowed)'
    for call, text in CALLS.items():
        ratio = of[10000][call] / of[10][call]
        yield ratio <= MAX_CALL, f'{text} with 10000 groups: {ratio:.2f} x its time with 10 ({MAX_CALL} allowed)'
    for possible in POSSIBLE:
        ratio = kernel['scale'][f'{possible}-memward'][10]['stream'] / of[10]['stream']
        yield ratio <= MAX_STREAM, f'a stream on one of {possible} processors: {ratio:.2f} x one of one ({MAX_STREAM} allowed)'


def hibernation_requirements(kernel):
    """Memory is intact after a suspension."""
    yield kernel.get('intact') == 4, f'memory was intact after {kernel.get("intact", 0)} of 4 suspensions'


DEMANDS = {
    'faults': fault_requirements,
    'taken': reclaim_requirements,
    'copy': copy_requirements,
    'shares': protect_requirements,
    'pressure': pressure_requirements,
    'hibernation': hibernation_requirements,
    'filesystems': filesystem_requirements,
    'faults_below': fault_below_requirements,
    'stack': stack_requirements,
    'scale': scale_requirements,
}


def goals(kernel):
    """The budgets of docs/design.md, for information."""
    if kernel['faults']:
        if kernel['spread'] > STABLE:
            yield f'the counts of a fault differ by {kernel["spread"]} between measurements'
        if kernel['added']['unattached'] > GOAL_UNATTACHED:
            yield f'{kernel["added"]["unattached"]:+.0f} unattached, where {GOAL_UNATTACHED} is the goal'
        if kernel['ratio'] > GOAL_RATIO:
            yield f'{kernel["ratio"]:.2f} x kernel memcg, where {GOAL_RATIO} is the goal'
    if kernel['bytes'] and kernel['bytes']['memward']['held'] > GOAL_BYTES:
        yield f'a group holds {kernel["bytes"]["memward"]["held"]} bytes, where {GOAL_BYTES} is the goal'
    for call in ('mkdir', 'rmdir') if kernel['ns'] else ():
        ours, theirs = (kernel['ns'][who][call] / 1000 for who in ('memward', 'memcg'))
        if ours > theirs:
            yield f'{call} takes {ours:.0f} us, kernel memcg\'s {theirs:.0f} us'


# --- tables ---------------------------------------------------------------------------------------------------

BESIDE = {'stream': 'a file of 200 MB', '60': '60 MB used once'}
JOBS = {
    'order': 'throughput of a job at 2/3 of its need, zram, pages in order',
    'random': '… pages at random',
    'build': '… of many short processes and files, at 70 % of their need',
}


FILE_SYSTEMS = {
    'ext4': 'ext4', 'xfs': 'XFS', 'btrfs': 'btrfs', 'f2fs': 'f2fs', 'overlay': 'overlayfs on ext4',
    'fuse': 'FUSE (bindfs on ext4)', 'nfs': 'NFS (a server on the same machine, ext4)', 'tmpfs': 'tmpfs, with swap',
    'loop-ext4': 'ext4 on a loop device on ext4',
    'loop-xfs': '… on XFS', 'loop-btrfs': '… on btrfs',
}
ACCESSES = {'write': 'a write', 'read': 'a read', 'map': 'through a mapping'}

FAULT_LOADS = {
    'write': 'a file is written', 'read': 'a file is read', 'use': 'more memory is used than the limit, with swap',
    'want': 'memory is wanted while 20 MB of a file are being written', 'beside': 'another wants what it has, without swap',
}
FAULT_KINDS = {
    'disk_slow': 'disk slow', 'disk_hung': 'disk hangs for 10 s', 'disk_failing': 'disk fails for 10 s',
    'disk_flakey': 'disk fails every other second', 'disk_full': 'disk full',
    'swap_slow': 'swap slow', 'swap_hung': 'swap hangs for 10 s', 'swap_failing': 'swap fails for 10 s',
    'swap_full': 'swap full', 'swap_removed': 'swapoff',
    'killed': 'killed', 'killed_disk_hung': 'killed while the disk hangs',
    'killed_swap_hung': 'killed while swap hangs',
    'stopped': 'stopped for 4 s', 'traced': 'held by a debugger for 4 s', 'frozen': 'frozen for 4 s',
    'suspended': 'the machine sleeps meanwhile', 'hibernated': 'the machine is suspended to disk meanwhile',
    'removed': 'moved out, the group removed', 'lifted': 'the limit is lifted', 'lowered': 'the limit is lowered to 8M',
    'unmounted': 'the tree is unmounted',
}
FAULTS = {f'{fault}-{load}': f'{kind}: {what}' for fault, kind in FAULT_KINDS.items() for load, what in FAULT_LOADS.items()}


def filesystem_name(case):
    """ext4-write in words."""
    name, _, access = case.rpartition('-')
    return f'{FILE_SYSTEMS[name]}: {ACCESSES[access]}'


def cell(form, kernel):
    """What a kernel has to say in a row; where it was not measured, nothing."""
    try:
        return form(kernel)
    except (KeyError, TypeError):
        return '-'


def table(kernels, first, lines):
    """A table without the rows in which no kernel has anything to say."""
    rows = [[name, *(cell(form, k) for k in kernels.values())] for name, form in lines]
    rows = [r for r in rows if set(r[1:]) != {'-'}]
    if not rows:
        return
    print('| ' + ' | '.join([first, *kernels]) + ' |')
    print('|' + '---|' + '---:|' * len(kernels))
    for row in rows:
        print('| ' + ' | '.join(row) + ' |')
    print()


def pair(what, call, scale, form):
    return lambda k: ' / '.join(format(k[what][who][call] / scale, form) for who in ('memward', 'memcg'))


def fault_lines():
    yield 'bare kernel, all of it', lambda k: f'{k["fault"]:.0f}'
    for state, text in STATES.items():
        yield text, lambda k, state=state: f'{round(k["added"][state]):+d}'
    yield '**memward / kernel memcg**', lambda k: f'**{k["ratio"]:.2f} ×**'


def group_lines():
    yield 'KiB a group, 2 CPUs', pair('bytes', 'held', 1024, '.1f')
    yield '… of them per-CPU memory', pair('bytes', 'percpu', 1024, '.1f')
    yield 'µs for mkdir', pair('ns', 'mkdir', 1000, '.0f')
    yield 'µs for rmdir', pair('ns', 'rmdir', 1000, '.0f')
    yield 'instructions for mkdir', pair('instructions', 'mkdir', 1, '.0f')
    yield 'instructions for rmdir', pair('instructions', 'rmdir', 1, '.0f')


def reclaim_lines():
    for job, text in JOBS.items():
        yield text, lambda k, job=job: f'{k["throughput"][job]:.2f} ×'
    for what, text in BESIDE.items():
        yield f'pages of 10 MB in use that had to come back beside {text} at a limit of 20M', lambda k, what=what: ' / '.join(
            f'{statistics.median(k["beside"][f"{who}-{what}"]):.0f}' for who in ('memward', 'memcg'))
    for percent in PERCENTS:
        yield f'memory.reclaim of {percent} %: of what was asked for', lambda k, percent=percent: ' / '.join(
            f'{k["taken"][f"{who}-{percent}"]:.3f}' if f'{who}-{percent}' in k['taken'] or who == 'memward' else '-'
            for who in ('memward', 'memcg'))
    for percent in PERCENTS:
        yield f'… pages in use that had to come back after {percent} %', lambda k, percent=percent: ' / '.join(
            str(k['refaults'][f'{who}-{percent}']) if f'{who}-{percent}' in k['refaults'] or who == 'memward' else '-'
            for who in ('memward', 'memcg'))


def copy_lines():
    def all_of(form):
        return lambda k: ' / '.join(form(k['copy'][who]) for who in ('none', 'memward', 'memcg'))
    yield 'the group had at the most, MiB', all_of(lambda c: f'{c["most"] / 2**20:.1f}' if c['most'] else '-')
    yield 'page cache of the machine, before → after, MiB', all_of(
        lambda c: ' → '.join(f'{cached / 2**20:.0f}' for cached in c['cached']))
    yield 'pages that a neighbour had to read anew', all_of(lambda c: str(c['refaults']))
    yield 'seconds', all_of(lambda c: str(c['seconds']))


def protect_lines():
    for lru, name in LRUS.items():
        for low, published in PUBLISHED_SHARES.items():
            yield (f'{name}, memory.low {low}M: % scanned (published: {published})', lambda k, lru=lru, low=low: ' / '.join(
                f'{percent_scanned(k, lru, who, low):.0f}' for who in ('memward', 'memcg')))
            yield '… MB kept of 190', lambda k, lru=lru, low=low: ' / '.join(
                f'{k["shares"][lru][who][low][1] / 2**20:.0f}' for who in ('memward', 'memcg'))
    for lru, name in LRUS.items():
        yield (f'{name}: pages scanned for each freed, 0 / 50 / 90 % of memory protected', lambda k, lru=lru: ' / '.join(
            f'{looks(k, lru, percent):.2f}' for percent in HARM_PERCENTS))
        yield '… kswapd\'s time, in hundredths of a second', lambda k, lru=lru: ' / '.join(
            str(k['harm'][lru][percent]['ticks']) for percent in HARM_PERCENTS)


def pressure_lines():
    def left(setting):
        return lambda k: ' / '.join(f'{k["pressure"]["left"][f"{who}-{setting}"][0] / 2**20:.0f}'
                                    for who in ('memward', 'memcg'))

    def after(setting):
        return lambda k: ' / '.join('{:.2f} s, {}'.format(k['pressure']['after'][f'{who}-{setting}'][0] / 1e6,
                                                          k['pressure']['after'][f'{who}-{setting}'][1])
                                    for who in ('memward', 'memcg'))

    def probed(which, *runs):
        return lambda k: ' / '.join(str(k['pressure']['latency'][run][which]) for run in runs)
    for setting in ('low-0', 'low-100M', 'low-210M', 'min-210M'):
        yield f'memory.{setting.replace("-", " ")}: MiB left of 200', left(setting)
        yield '… until all is back, and pages read', after(setting)
    probes = ('memward-210M', 'memcg-210M', 'memcg-0')
    yield 'beside 900 MB in use, memory.low 210M; then without: p99 of a touch, ns', probed(2, *probes)
    yield '… p99.9, ns', probed(3, *probes)
    yield '… pages read', probed(4, *probes)
    yield '… touches in its worst second, of 10 000', probed(5, *probes)
    yield 'the slow squeeze: MiB taken until the OOM killer comes', lambda k: ' / '.join(
        str(k['pressure']['squeezed'][who][0]) for who in ('memward', 'memcg'))
    yield '… touches of the protected process in its worst second', probed(5, 'memward-squeezed', 'memcg-squeezed')


def worked(who):
    """Its time beside memcg's and the most in memory; or what became of both, if not both have done it."""
    outcomes, most = ([who[one][what] for one in ('memward', 'memcg')] for what in ('outcome', 'most'))
    took = f'{who["memward"]["ms"] / max(who["memcg"]["ms"], 1):.2f} ×' if set(outcomes) == {'done'} else ' / '.join(outcomes)
    return f'{took}, {most[0] / 2**20:.1f} / {most[1] / 2**20:.1f}'


def filesystem_lines():
    for name, text in FILE_SYSTEMS.items():
        for access, what in ACCESSES.items():
            def form(k, name=name, access=access):
                if '-' in k['filesystems'].get(name, {}) and access == 'write':
                    return 'not had'
                return worked(k['filesystems'][f'{name}-{access}'])
            yield f'{text}: {what}', form


def end_of(who):
    """What became of one, when, and a word on something else that happened."""
    note = who['note'] if isinstance(who['note'], str) and who['note'] != '-' else ''
    return f'{who["outcome"]} {who["ms"] / 1000:.1f}' + (f' ({note.replace("-", " ")})' if note else '')


def fault_below_lines():
    for case, text in FAULTS.items():
        yield text, lambda k, case=case: ' / '.join(
            end_of(k['faults_below'][case][one]) for one in ('memward', 'memcg'))


def stack_lines():
    for name in STACKS:
        yield f'{FILE_SYSTEMS[name]}, encrypted, and so is swap', lambda k, name=name: ' / '.join(
            str(k['stack'][name][one]['bytes']) for one in ('memward', 'memcg'))


def scale_lines():
    def both(what, nr, scale, form, machine=''):
        return lambda k: ' / '.join(format(of[nr][what] / scale, form) if nr in (of := k['scale'][machine + who]) else '–'
                                    for who in ('memward', 'memcg'))
    for nr in SCALES:
        yield f'10^6 instructions for a stream of 240 MB below 40M, in one of {nr} groups', both('stream', nr, 1e6, '.0f')
    for call, text in CALLS.items():
        for nr in SCALES[1], SCALES[-1]:
            yield f'10^3 instructions for {text} with {nr} groups', both(call, nr, 1e3, '.0f')
    for nr in SCALES[0], SCALES[-1]:
        yield (f'10^6 instructions for an audit of 4 GB with {nr} groups',
               lambda k, nr=nr: format(k['scale']['memward'][nr]['audit'] / 1e6, '.0f'))
    for possible in POSSIBLE:
        for nr in POSSIBLE_SCALES:
            for call, text, scale in (('stream', '10^6 instructions for the stream', 1e6), ('mkdir', '10^3 for mkdir', 1e3),
                                      ('stat', '10^3 for memory.stat', 1e3)):
                yield f'of {possible} processors, {nr} groups: {text}', both(call, nr, scale, '.0f', f'{possible}-')


def lock_lines():
    def both(what, key):
        return lambda k: ' / '.join(str(of[key][what]) if key in (of := k['locks'][who]) else '–' for who in ('memward', 'memcg'))
    for processors in PROCESSORS:
        for nr in LOCK_SCALES:
            key = f'{processors}/{nr}'
            yield f'{processors} processors, {nr} groups: locks that are taken for 32 pages', both('taken', key)
            yield f'{processors} processors, {nr} groups: interrupts of others for 18 432', both('interrupts', key)


def day_lines():
    """The better of two days each."""
    def both(column, best):
        return lambda k: ' / '.join(str(best(run[column] for run in k['day'][who])) for who in ('memward', 'memcg'))
    yield 'groups made, used and removed in 40 seconds', both(0, max)
    for column, text in enumerate(('mkdir: median, µs', 'mkdir: 99 %, µs', 'rmdir: median, µs', 'rmdir: 99 %, µs'), 1):
        yield text, both(column, min)


def hibernation_lines():
    def both(size, what, scale, form):
        return lambda k: ' → '.join(format(k['hibernation'][f'{size}-{reclaimed}'][what] / scale, form)
                                    for reclaimed in ('no', 'yes'))
    for size, published in PUBLISHED_HIBERNATION.items():
        yield (f'image_size {size}: seconds to suspend (published: '
               f'{published[0]} → {published[1]} s, {published[0] / published[1]:.1f} ×)',
               both(size, 'suspend', 1, '.1f'))
        yield '… times as fast', lambda k, size=size: '{:.1f} ×'.format(
            k['hibernation'][f'{size}-no']['suspend'] / k['hibernation'][f'{size}-yes']['suspend'])
        yield '… image, MiB', both(size, 'kbytes', 1024, '.0f')
        yield '… seconds to read it again', both(size, 'read', 1, '.2f')


TABLES = {
    'instructions added to a 4 KiB anonymous fault': fault_lines,
    'memward / kernel memcg': group_lines,
    'at a limit: memward / kernel memcg': reclaim_lines,
    'memory is short: memward / kernel memcg': protect_lines,
    'a process of 200 MB beside others, 1 GB: memward / kernel memcg': pressure_lines,
    'a file of 1 GB is fetched: no limit / memward 128M / kernel memcg 128M': copy_lines,
    'suspending with 85 % of memory in use: without → with memory.swap.reclaim before': hibernation_lines,
    '300 MB below a limit of 64M: time (memcg\'s is 1; or what became of them), '
    'and the most in memory, MiB: memward / kernel memcg': filesystem_lines,
    'something goes wrong: what becomes of the process, seconds later: memward / kernel memcg': fault_below_lines,
    'the deepest stack below a charge, of 16384 bytes: memward / kernel memcg': stack_lines,
    'many groups: memward / kernel memcg': scale_lines,
    'locks and interrupts: memward / kernel memcg': lock_lines,
    'a container host\'s day: memward / kernel memcg': day_lines,
}


def main():
    kernels = {}
    failed, missed = [], []
    for name in sys.argv[2:]:
        series = name.rsplit('/', 1)[-1]
        kernels[series] = kernel = read(name)
        derive(kernel)
        for part, demands in DEMANDS.items():
            if kernel[part]:
                failed += [f'{series}: {text}' for held, text in demands(kernel) if not held]
        missed += [f'{series}: {text}' for text in goals(kernel)]
    for first, lines in TABLES.items():
        table(kernels, first, lines())
    for text in missed:
        print(f'note: {text}', file=sys.stderr)
    for text in failed:
        print(f'FAILED: {text}', file=sys.stderr)
    with open(sys.argv[1], 'w', encoding='utf-8') as out:
        json.dump({'kernels': kernels, 'failed': failed, 'notes': missed}, out, indent=1)
        out.write('\n')
    sys.exit(bool(failed))


if __name__ == '__main__':
    main()
