# SPDX-License-Identifier: GPL-2.0
"""page.svg: the way of a page, from the first touch until it is free."""
from style import MEMWARD, PLAIN, arrow, box, canvas, save

KERNEL, OURS = 27.5, 5.0  # the lower edges of the two rows
HEIGHT, WIDTH = 7.5, 21
COLUMNS = (3, 29, 55, 81)


def draw_kernel(axes):
    axes.text(3, 37.5, 'the kernel', weight='bold', va='center')
    for x, text in zip(COLUMNS, ('a process of a group\ntouches memory', 'the page is in use,\nsplit, migrated',
                                 'reclaim, or swap:\nthe page goes out', 'the page is freed')):
        box(axes, (x, KERNEL), (WIDTH, HEIGHT), text, 'kernel')
    for left, right in zip(COLUMNS, COLUMNS[1:]):
        arrow(axes, (left + WIDTH, KERNEL + HEIGHT / 2), (right, KERNEL + HEIGHT / 2), color=PLAIN)


def draw_memward(axes):
    axes.text(3, 2.2, 'memward', weight='bold', va='center', color=MEMWARD)
    for x, text in zip(COLUMNS, ('one page of the CPU\'s\nstock; the entry names\nthe owner',
                                 'the entry moves\nwith the page',
                                 'oldest pages first;\na swap slot is charged\nto the page\'s owner',
                                 'the entry is cleared;\nthe page goes back\nto the stock')):
        box(axes, (x, OURS), (WIDTH, HEIGHT + 1.5), text)


def draw_hooks(axes):
    top, bottom = KERNEL, OURS + HEIGHT + 1.5
    for x, text in zip(COLUMNS, ('charge\n(livepatch)', 'migrate,\nreplace\n(ftrace)', '', 'uncharge\n(ftrace)')):
        if text:
            arrow(axes, (x + 8, top), (x + 8, bottom), text, (x + 9, (top + bottom) / 2), MEMWARD, align='left')
    x = COLUMNS[2]
    arrow(axes, (x + 3, bottom), (x + 3, top), 'memory.max,\nmemory.high,\nmemory.reclaim', (x + 2.2, (top + bottom) / 2),
          MEMWARD, align='right')
    arrow(axes, (x + 8, top), (x + 8, bottom), 'keep? swapout\n(livepatch)', (x + 9, (top + bottom) / 2), MEMWARD,
          align='left')


def draw():
    figure, axes = canvas(10.5, 4)
    draw_kernel(axes)
    draw_memward(axes)
    draw_hooks(axes)
    save(figure, 'page')


draw()
