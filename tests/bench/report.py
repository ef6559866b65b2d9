#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""report.py JSON FILE...

Makes the tables of `scripts/bench` from what its guests printed, one FILE for each kernel, and writes all numbers to
the file JSON. Exits with 1 if a requirement does not hold, and says which.
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

# A job at its limit, and what memory.reclaim takes beside what was asked for.
MIN_THROUGHPUT = 0.9
MAX_OVER = 0.02
PERCENTS = 25, 50, 90

CPUS = 2
GOAL_BYTES = 4096 + 128 * CPUS


def read(name):
    """What the guests of a kernel printed; "groups" lines are instructions in the section icount, else ns."""
    kernel = {'faults': {}, 'bytes': {}, 'ns': {}, 'instructions': {}, 'cycle': {}, 'taken': {}, 'refaults': {}}
    icount = False
    with open(name, encoding='ascii') as lines:
        for words in map(str.split, lines):
            if words[0] == 'section':
                icount = words[1] == 'icount'
            elif words[0] == 'kernel':
                kernel['release'] = words[1]
            elif words[0] == 'faults':
                kernel['faults'][words[1]] = [float(w) for w in words[2:]]
            elif words[0] == 'groups':
                times = kernel['instructions' if icount else 'ns']
                times[words[1]] = dict(zip(('mkdir', 'rmdir'), map(int, words[2:])))
            elif words[0] == 'cycle':
                kernel['cycle'].setdefault(words[2], {}).setdefault(words[1], []).append(int(words[3]))
            elif words[0] == 'taken':
                kernel['taken'][words[1]] = int(words[3]) / int(words[2])
            elif words[0] == 'refaults':
                kernel['refaults'][words[1]] = int(words[2])
            elif words[0] == 'bytes' and not icount:
                kernel['bytes'][words[1]] = dict(zip(('held', 'slab', 'percpu', 'left'), map(int, words[2:])))
    return kernel


def derive(kernel):
    usual = {state: statistics.median(values) for state, values in kernel['faults'].items()}
    kernel['fault'] = usual['bare']
    kernel['added'] = {state: round(usual[state] - usual['bare'], 1) for state in STATES}
    kernel['ratio'] = round(kernel['added']['memward'] / kernel['added']['memcg'], 3)
    kernel['throughput'] = {
        pattern: round(statistics.median(rates['memward']) / statistics.median(rates['memcg']), 2)
        for pattern, rates in kernel['cycle'].items()}
    kernel['spread'] = round(max(max(v) - min(v) for v in kernel['faults'].values()), 1)


def requirements(series, kernel):
    """What issue 2 demands: (held, text)."""
    added, ratio = kernel['added'], kernel['ratio']
    for state in ('loaded', 'unmounted'):
        yield abs(added[state]) <= MAX_UNMOUNTED, (
            f'{series}: {STATES[state]}: {added[state]:+} instructions a fault ({MAX_UNMOUNTED} allowed)')
    yield added['unattached'] <= MAX_UNATTACHED, (
        f'{series}: {STATES["unattached"]}: {added["unattached"]:+} instructions a fault ({MAX_UNATTACHED} allowed)')
    yield ratio <= MAX_RATIO, (
        f'{series}: {STATES["memward"]}: {ratio:.2f} x what kernel memcg adds ({MAX_RATIO} allowed)')


def reclaim_requirements(series, kernel):
    """What issue 4 demands: (held, text)."""
    for pattern, ratio in kernel['throughput'].items():
        yield ratio >= MIN_THROUGHPUT, (
            f'{series}: a job at 2/3 of its need, pages in {pattern}: {ratio:.2f} x kernel memcg\'s '
            f'({MIN_THROUGHPUT} at least)')
    for percent in PERCENTS:
        taken, theirs = kernel['taken'][f'memward-{percent}'], kernel['refaults'].get(f'memcg-{percent}')
        ours = kernel['refaults'][f'memward-{percent}']
        yield taken <= 1 + MAX_OVER, (
            f'{series}: memory.reclaim of {percent} % took {taken:.3f} of what was asked for')
        yield theirs is None or ours <= theirs, (
            f'{series}: after memory.reclaim of {percent} % {ours} pages had to come back, after kernel memcg\'s {theirs}')


def goals(series, kernel):
    """The budgets of docs/design.md, for information."""
    held, ns = kernel['bytes'], kernel['ns']
    if kernel['spread'] > STABLE:
        yield f'{series}: the counts of a fault differ by {kernel["spread"]} between measurements'
    if kernel['added']['unattached'] > GOAL_UNATTACHED:
        yield f'{series}: {kernel["added"]["unattached"]:+.0f} unattached, where {GOAL_UNATTACHED} is the goal'
    if kernel['ratio'] > GOAL_RATIO:
        yield f'{series}: {kernel["ratio"]:.2f} x kernel memcg, where {GOAL_RATIO} is the goal'
    if held['memward']['held'] > GOAL_BYTES:
        yield f'{series}: a group holds {held["memward"]["held"]} bytes, where {GOAL_BYTES} is the goal'
    for call in 'mkdir', 'rmdir':
        if ns['memward'][call] > ns['memcg'][call]:
            yield (f'{series}: {call} takes {ns["memward"][call] / 1000:.0f} us, '
                   f'kernel memcg\'s {ns["memcg"][call] / 1000:.0f} us')


def row(*cells):
    return '| ' + ' | '.join(map(str, cells)) + ' |'


def table(kernels, first, lines):
    yield row(first, *kernels)
    yield '|' + '---|' + '---:|' * len(kernels)
    for name, cell in lines:
        yield row(name, *(cell(k) for k in kernels.values()))
    yield ''


def added_cell(state):
    return lambda k: f'{round(k["added"][state]):+d}'


def pair(what, call, scale, form):
    return lambda k: ' / '.join(format(k[what][who][call] / scale, form) for who in ('memward', 'memcg'))


def taken_cell(percent):
    def cell(k):
        return ' / '.join(f'{k["taken"][who]:.3f}' if who in k['taken'] else '-'
                          for who in (f'memward-{percent}', f'memcg-{percent}'))
    return cell


def refaults_cell(percent):
    return lambda k: ' / '.join(str(k['refaults'].get(f'{who}-{percent}', '-')) for who in ('memward', 'memcg'))


def reclaim_lines():
    yield 'a job at 2/3 of its need, zram: throughput, pages in order', lambda k: f'{k["throughput"]["order"]:.2f} ×'
    yield '… pages at random', lambda k: f'{k["throughput"]["random"]:.2f} ×'
    for percent in PERCENTS:
        yield f'memory.reclaim of {percent} %: of what was asked for', taken_cell(percent)
    for percent in PERCENTS:
        yield f'… pages in use that had to come back after {percent} %', refaults_cell(percent)


def print_tables(kernels):
    faults = [('bare kernel, all of it', lambda k: f'{k["fault"]:.0f}')]
    faults += [(text, added_cell(state)) for state, text in STATES.items()]
    faults += [('**memward / kernel memcg**', lambda k: f'**{k["ratio"]:.2f} ×**')]
    groups = [
        ('KiB a group, 2 CPUs', pair('bytes', 'held', 1024, '.1f')),
        ('… of them per-CPU memory', pair('bytes', 'percpu', 1024, '.1f')),
        ('µs for mkdir', pair('ns', 'mkdir', 1000, '.0f')),
        ('µs for rmdir', pair('ns', 'rmdir', 1000, '.0f')),
        ('instructions for mkdir', pair('instructions', 'mkdir', 1, '.0f')),
        ('instructions for rmdir', pair('instructions', 'rmdir', 1, '.0f')),
    ]
    for line in table(kernels, 'instructions added to a 4 KiB anonymous fault', faults):
        print(line)
    for line in table(kernels, 'memward / kernel memcg', groups):
        print(line)
    for line in table(kernels, 'memward / kernel memcg', reclaim_lines()):
        print(line)


def main():
    kernels = {}
    for name in sys.argv[2:]:
        kernels[name.rsplit('/', 1)[-1]] = kernel = read(name)
        derive(kernel)
    checks = [c for series, kernel in kernels.items() for c in requirements(series, kernel)]
    checks += [c for series, kernel in kernels.items() for c in reclaim_requirements(series, kernel)]
    failed = [text for good, text in checks if not good]
    missed = [text for series, kernel in kernels.items() for text in goals(series, kernel)]
    print_tables(kernels)
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
