# SPDX-License-Identifier: GPL-2.0
"""owners.svg: entry, owner and group, before and after rmdir."""
from style import MEMCG, arrow, box, canvas, save


def draw_pages(axes, left):
    for i in range(3):
        box(axes, (left, 21 - 8 * i), (13, 5), f'entry of page {i + 1}\nowner 7', 'page')


def draw_before(axes):
    axes.text(2, 30, 'while the group lives', ha='left', weight='bold')
    draw_pages(axes, 2)
    box(axes, (21, 12), (10, 7), 'id 7', bold='owner')
    box(axes, (37, 21), (10, 6), '', 'group', bold='parent')
    box(axes, (37, 6), (10, 6), '', 'group', bold='group')
    for i in range(3):
        arrow(axes, (15, 23.5 - 8 * i), (21, 17 - 1.5 * i))
    arrow(axes, (31, 15.5), (37, 9))
    arrow(axes, (42, 12), (42, 21), 'child of', (42.7, 16.5), align='left')


def draw_after(axes):
    axes.text(55, 30, 'after rmdir', ha='left', weight='bold')
    draw_pages(axes, 55)
    box(axes, (74, 12), (10, 7), 'id 7', bold='owner')
    box(axes, (90, 21), (10, 6), '', 'group', bold='parent')
    box(axes, (90, 6), (10, 6), 'gone', 'gone', dashed=True)
    for i in range(3):
        arrow(axes, (68, 23.5 - 8 * i), (74, 17 - 1.5 * i))
    arrow(axes, (84, 15.5), (90, 24), 'one pointer\nchanges', (85.2, 22.6), color=MEMCG, align='right')
    axes.text(61.5, 1.7, 'no entry is touched', ha='center', va='center', color=MEMCG, fontsize=10)


def draw():
    figure, axes = canvas(10.2, 3.5)
    draw_before(axes)
    draw_after(axes)
    axes.plot([51.5, 51.5], [3, 32], color='#bbbbbb', linewidth=1)
    save(figure, 'owners')


draw()
