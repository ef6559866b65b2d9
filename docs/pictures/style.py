# SPDX-License-Identifier: GPL-2.0
"""What the pictures share: colours, sizes, boxes and arrows, and how a file is written.

Letters are drawn as paths and the background is white, so a picture looks the same on every machine and in a dark page.
The same input gives the same file.
"""
import pathlib

import matplotlib

matplotlib.use('svg')
import matplotlib.pyplot as plt  # noqa: E402 (the backend first)
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent

MEMWARD, MEMCG, PLAIN, INK = '#1f6fb4', '#c8571b', '#666666', '#222222'
FILLS = {'memward': '#dcebf7', 'kernel': '#f1f1f1', 'group': '#fdf0d5', 'gone': '#fafafa', 'page': '#e4f2e1'}

plt.rcParams.update({
    'svg.fonttype': 'path', 'svg.hashsalt': 'memward', 'font.family': 'DejaVu Sans', 'font.size': 11,
    'figure.facecolor': 'white', 'axes.facecolor': 'white', 'axes.spines.top': False, 'axes.spines.right': False,
    'axes.edgecolor': PLAIN, 'axes.grid': True, 'grid.color': '#e3e3e3', 'axes.axisbelow': True, 'text.color': INK,
    'axes.labelcolor': INK, 'xtick.color': INK, 'ytick.color': INK, 'lines.linewidth': 2, 'lines.markersize': 5,
})


def save(figure, name):
    """Writes docs/pictures/NAME.svg."""
    figure.savefig(HERE / f'{name}.svg', metadata={'Date': None, 'Creator': None})
    plt.close(figure)


def canvas(width, height):
    """A figure of so many inches for boxes and arrows, with coordinates in tenths of an inch, from the lower left."""
    figure = plt.figure(figsize=(width, height))
    axes = figure.add_axes([0, 0, 1, 1])
    axes.set(xlim=(0, 10 * width), ylim=(0, 10 * height))
    axes.axis('off')
    return figure, axes


def box(axes, corner, size, text, fill='memward', bold='', dashed=False):
    """A box with a text in its middle, under a first line in bold if there is one."""
    (x, y), (width, height) = corner, size
    axes.add_patch(FancyBboxPatch(corner, width, height, boxstyle='round,pad=0,rounding_size=0.8', facecolor=FILLS[fill],
                                  edgecolor=PLAIN, linewidth=1.1, linestyle='--' if dashed else '-'))
    lines = text.count('\n') + 1 if text else 0
    middle = y + height / 2
    if bold:
        axes.text(x + width / 2, middle + 1.0 * lines, bold, ha='center', va='center', weight='bold', linespacing=1.3)
        middle -= 1.1
    if text:
        axes.text(x + width / 2, middle, text, ha='center', va='center', linespacing=1.3)


def arrow(axes, start, end, text='', at=None, color=INK, align='center'):
    """An arrow, and a text at a place of its own."""
    axes.add_patch(FancyArrowPatch(start, end, arrowstyle='-|>', mutation_scale=15, linewidth=1.5, color=color, shrinkA=0,
                                   shrinkB=0))
    if text:
        axes.text(*(at or ((start[0] + end[0]) / 2, (start[1] + end[1]) / 2 + 1)), text, ha=align, va='center', color=color,
                  fontsize=10, linespacing=1.3)
