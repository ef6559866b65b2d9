# SPDX-License-Identifier: GPL-2.0
"""day.svg: a container host's day with memward and with the kernel's memcg, from the run in data/day.txt."""
from style import HERE, INK, MEMCG, MEMWARD, plt, save

COLUMNS = 'seconds groups mkdir rmdir charged slab percpu left chunks'.split()


def read_run():
    """For memward and for memcg, each column as a list."""
    rows = [line.split() for line in (HERE / 'data/day.txt').read_text(encoding='utf-8').splitlines() if line[0] != '#']
    return {who: dict(zip(COLUMNS, zip(*(map(int, row[1:]) for row in rows if row[0] == who)))) for who in ('memward', 'memcg')}


def per_minute(run):
    """Groups that were made a minute, between one line and the next."""
    before = (0,) + run['seconds'][:-1]
    return [60 * nr / (to - begin) for nr, begin, to in zip(run['groups'], before, run['seconds'])]


PANELS = (
    ('groups made, used and removed a minute', per_minute),
    ('MB charged, of 16 allowed', lambda run: [kb / 1024 for kb in run['charged']]),
    ('what removed groups have left: owners; dying memcgs', lambda run: run['left']),
    ('MB of slabs and of percpu memory, all of the kernel\'s', lambda run: [(a + b) / 1024 for a, b in zip(run['slab'], run['percpu'])]),
    ('mkdir: 99 of 100 take at most, ms', lambda run: [us / 1000 for us in run['mkdir']]),
    ('rmdir: 99 of 100 take at most, ms', lambda run: [us / 1000 for us in run['rmdir']]),
)


def draw():
    runs = read_run()
    figure, panels = plt.subplots(3, 2, figsize=(10.2, 8), sharex=True, layout='constrained')
    for axes, (title, values) in zip(panels.flat, PANELS):
        for who, color, style in (('memward', MEMWARD, 's-'), ('memcg', MEMCG, 'o-')):
            axes.plot([s / 60 for s in runs[who]['seconds']], values(runs[who]), style, color=color, label=who)
        axes.set_title(title, fontsize=11, color=INK)
        axes.set_ylim(bottom=0)
    for axes in panels[-1]:
        axes.set_xlabel('minutes')
    panels[0][0].legend(loc='lower right', frameon=False)
    save(figure, 'day')


draw()
