# SPDX-License-Identifier: GPL-2.0
"""floors.svg: the folders of src, each of which calls only what is below it."""
from style import INK, box, canvas, save

FLOORS = [
    [('src/main.c', 'starts and stops every part', 'memward')],
    [('src/fs', 'the files and directories', 'memward'), ('src/hooks', 'verify, attach, what the kernel calls', 'memward')],
    [('src/core/life', 'create and remove groups, orphans, audit, sample', 'memward')],
    [('src/core/limit', 'limits, throttling, killing, swap limits', 'memward')],
    [('src/core/reclaim', 'scanning, proactive reclaim, soft limits, refaults', 'memward')],
    [('src/core/charge', 'charging, stocks, members', 'memward'), ('src/core/protect', 'what reclaim is refused', 'memward')],
    [('src/core/pages', 'one entry a page, owners, queues', 'memward')],
    [('src/core/group', 'the tree, counters, statistics', 'memward')],
    [('src/pure', 'arithmetic and parsing', 'group'), ('src/compat', 'all that differs between kernels', 'group')],
    [('the kernel', '', 'kernel')],
]
WIDTH, HEIGHT, GAP, LEFT = 68, 4.6, 1.3, 10


def draw_floor(axes, floor, y):
    width = (WIDTH - 1.5 * (len(floor) - 1)) / len(floor)
    for i, (name, text, fill) in enumerate(floor):
        box(axes, (LEFT + i * (width + 1.5), y), (width, HEIGHT), text, fill, bold=name)


def draw():
    figure, axes = canvas(8, (len(FLOORS) * (HEIGHT + GAP) + GAP) / 10)
    for i, floor in enumerate(reversed(FLOORS)):
        draw_floor(axes, floor, GAP + i * (HEIGHT + GAP))
    top = GAP + len(FLOORS) * (HEIGHT + GAP) - GAP
    axes.annotate('', (6, 2 * GAP), (6, top - GAP), arrowprops={'arrowstyle': '-|>', 'color': INK, 'linewidth': 1.5})
    axes.text(3.4, top / 2, 'calls go down', rotation=90, ha='center', va='center')
    save(figure, 'floors')


draw()
