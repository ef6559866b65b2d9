#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""judge.py [--tap] < output of tests/demo/guest

Prints the table of one demo run beside the figures that were published with the patch, says of each claim whether it
held, and exits with 1 if one did not.
"""
import math
import statistics
import sys
from typing import NamedTuple

PAGE = 4096
HIGH = 100 * 2**20 // PAGE  # pages

# "mm, memcg: throttle allocators when failing reclaim over memory.high": microseconds for the Nth megabyte.
PUBLISHED = dict(zip(range(95, 121), [
    1002, 1000, 1002, 1003, 1000, 1043, 84724, 330628, 610511, 1016265, 1503969, 2391692, 2872061, 3248003,
    4791904, 5759832, 6912509, 8127818, 9472203, 12287622, 12480079, 14144008, 15808029, 16384500, 16383242,
    16384979]))
COMPARED = (107, 110, 115, 120)

# The penalty: 64 s x (overage / high)^2 for a batch of 32 pages, none up to 10 ms, 2 s at most.
BATCH = 32
SCALE_US = 64e6
FREE_US = 10e3
CLAMP_US = 2e6
JIFFY_US = 4000
PRESSURE_PERIOD_US = 2e6  # /proc/pressure is brought up to date that often


def penalty_integral(usage):
    """Microseconds it takes, by the formula, to grow from memory.high to a usage (pages)."""
    over = max(usage - HIGH, 0)
    free = HIGH * math.sqrt(FREE_US / SCALE_US)
    clamp = HIGH * math.sqrt(CLAMP_US / SCALE_US)
    curve = max(min(over, clamp)**3 - free**3, 0) / 3 * SCALE_US / HIGH**2
    return (curve + max(over - clamp, 0) * CLAMP_US) / BATCH


class Check(NamedTuple):
    good: bool
    text: str


class Row:
    """One megabyte of the throttled run."""

    def __init__(self, mb, us, before, after, sleeps):
        self.mb, self.us, self.sleeps = mb, us, sleeps
        self.pages = (after - before) / PAGE
        self.formula = penalty_integral(after / PAGE) - penalty_integral(before / PAGE)

    def tolerance(self):
        return 0.1 * self.formula + JIFFY_US * self.pages / BATCH

    def fits(self):
        return abs(self.us - self.formula) <= self.tolerance()


class Run:
    """What the guest printed."""

    def __init__(self, lines):
        self.kernel, self.killed = '?', None
        tables = {}
        self.stall = {'before': {}, 'pressure': {}}
        table = []
        for words in map(str.split, lines):
            if words[0] == 'run':
                table = tables[words[1]] = []
            elif words[0] == 'kernel':
                self.kernel = words[1]
            elif words[0] == 'killed':
                self.killed = (int(words[1]), words[2], int(words[3]))
            elif words[0] in self.stall:
                if words[1] == 'some':
                    self.stall[words[0]] = {k: float(v) for k, v in (w.split('=') for w in words[2:])}
            else:
                table.append(tuple(map(int, words)))
        self.bare = dict(tables['bare'])  # megabyte -> microseconds
        self.rows = [Row(*t) for t in tables['group']]

    def stalled_us(self):
        return self.stall['pressure']['total'] - self.stall['before']['total']


def table_of(run):
    yield f'{run.kernel}, memory.high 100M, no swap: microseconds for each megabyte'
    yield ''
    yield '      without    published with       with         the formula over  memward/   memward/'
    yield '  MB  memward  the kernel\'s patch    memward  sleeps    memory.current   formula  published'
    for row in run.rows:
        published = PUBLISHED.get(row.mb)
        if published is None:
            continue
        over = f'{row.us / row.formula:.2f}' if row.formula > FREE_US else '-'
        beside = f'{row.us / published:.2f}' if row.mb >= COMPARED[0] else '-'
        yield f'{row.mb:4} {run.bare[row.mb]:8} {published:19} {row.us:10} {row.sleeps:7} {row.formula:17.0f} {over:>9} {beside:>10}'
    yield ''


def check_below(run):
    rows = [r for r in run.rows if r.mb < 100]
    usual = statistics.median(run.bare[r.mb] for r in rows)
    here = statistics.median(r.us for r in rows)
    yield Check(here <= 2 * usual,
                f'below 100M a megabyte takes {here:.0f} us, {usual:.0f} without memward (median; 2 x allowed)')
    worst = max(rows, key=lambda r: r.us / run.bare[r.mb])
    yield Check(worst.us <= 2 * run.bare[worst.mb],
                f'and so does each of them: at most {worst.us / run.bare[worst.mb]:.2f} x, at {worst.mb}M (2 x allowed)')


def check_formula(run):
    rows = [r for r in run.rows if r.mb >= 102]
    worst = max(rows, key=lambda r: abs(r.us - r.formula) / r.tolerance())
    bad = [r for r in rows if not r.fits()]
    shown = bad or [worst]
    yield Check(not bad, f'from 102M on the formula holds within 10 % and a jiffy a batch: {len(rows) - len(bad)} of '
                f'{len(rows)}; ' + ', '.join(f'{r.us} us for {r.formula:.0f} +- {r.tolerance():.0f} at {r.mb}M '
                                             f'in {r.sleeps} sleeps' for r in shown))


def check_published(run):
    for row in run.rows:
        if row.mb in COMPARED:
            ratio = row.us / PUBLISHED[row.mb]
            yield Check(abs(ratio - 1) <= 0.25, f'{row.mb}M takes {row.us} us, {ratio:.2f} x the published '
                        f'{PUBLISHED[row.mb]} (0.75 to 1.25 allowed)')


def check_pressure(run):
    avg = run.stall['pressure']['avg10']
    yield Check(avg > 80, f'memory pressure "some avg10" is {avg:.2f} at the end (above 80 wanted)')
    stalled, held = run.stalled_us(), sum(r.us for r in run.rows if r.mb > 100)
    yield Check(stalled + PRESSURE_PERIOD_US > 0.8 * held,
                f'memory pressure shows {stalled / 1e6:.1f} s for {held / 1e6:.1f} s above 100M (80 % wanted, and '
                'the last 2 s may be missing)')


def check_kill(run):
    us, state, signal = run.killed
    yield Check(signal == 9, f'SIGKILL ends the throttled program (it died of {signal})')
    yield Check(us <= 200_000, f'within {us} us (200000 allowed)')
    yield Check(state == 'D', f'which was asleep in the kernel (state {state})')


def show(checks, tap):
    for number, check in enumerate(checks, 1):
        if tap:
            print(f'{"ok" if check.good else "not ok"} {number} - demo: {check.text}')
        else:
            print(f'{"ok    " if check.good else "FAILED"}  {check.text}')
    if tap:
        print(f'1..{len(checks)}')


def main():
    tap = '--tap' in sys.argv[1:]
    run = Run(line for line in sys.stdin if line.strip())
    checks = [*check_below(run), *check_formula(run), *check_published(run), *check_pressure(run), *check_kill(run)]
    for line in table_of(run):
        print(f'# {line}'.rstrip() if tap else line)
    show(checks, tap)
    sys.exit(0 if all(check.good for check in checks) else 1)


if __name__ == '__main__':
    main()
