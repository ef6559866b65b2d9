# SPDX-License-Identifier: GPL-2.0
"""throttle.svg: what each megabyte above memory.high takes, from the run of `scripts/demo` in data/demo.txt."""
import re

from style import HERE, INK, MEMCG, MEMWARD, PLAIN, plt, save

HIGH = 100  # MB, the run's memory.high


def read_run():
    """The kernel of the run, and its rows (MB, without memward, published, memward), in microseconds."""
    lines = (HERE / 'data/demo.txt').read_text(encoding='utf-8').splitlines()
    kernel = next(line.split(',')[0] for line in lines if ', memory.high ' in line)
    return kernel, [tuple(map(int, line.split()[:4])) for line in lines if re.match(r' *\d+ +\d+ +\d+ +\d+', line)]


def draw():
    kernel, rows = read_run()
    megabytes, bare, published, memward = zip(*rows)
    figure, axes = plt.subplots(figsize=(8, 4.4), layout='constrained')
    axes.semilogy(megabytes, [us / 1e6 for us in bare], '--', color=PLAIN)
    axes.semilogy(megabytes, [us / 1e6 for us in published], 'o-', color=MEMCG)
    axes.semilogy(megabytes, [us / 1e6 for us in memward], 's-', color=MEMWARD)
    axes.axvline(HIGH, color=INK, linewidth=1, linestyle=':')
    axes.text(HIGH - 0.15, 18, 'memory.high', ha='right', va='center')
    axes.text(103.1, 6, 'published with\nthe kernel\'s patch', color=MEMCG, ha='center', va='center')
    axes.text(107.2, 0.45, f'memward on {kernel}', color=MEMWARD, ha='left', va='center')
    axes.text(113, 0.0014, 'without memward', color=PLAIN, ha='center', va='center')
    axes.set(xlim=(megabytes[0], megabytes[-1]), ylim=(5e-4, 40), xlabel='MB that the program has',
             title='Time to get one more megabyte')
    ticks = {0.001: '1 ms', 0.01: '10 ms', 0.1: '0.1 s', 1: '1 s', 10: '10 s'}
    axes.set_yticks(list(ticks), list(ticks.values()))
    axes.minorticks_off()
    save(figure, 'throttle')


draw()
