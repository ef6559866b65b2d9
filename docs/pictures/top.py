# SPDX-License-Identifier: GPL-2.0
"""top.svg: what `memward top` has shown, from data/top.txt."""
from style import HERE, canvas, save

WIDTH, HEIGHT = 0.098, 0.2      # of a character, in inches
PAPER, LETTERS = '#16191d', '#d7dde4'


def rows():
    """The lines, each with whether it is in reverse."""
    for line in (HERE / 'data' / 'top.txt').read_text().splitlines():
        if not line.startswith('#'):
            yield line.removeprefix('>'), line.startswith('>')


def draw():
    lines = list(rows())
    columns = max(len(line) for line, _ in lines)
    figure, axes = canvas(columns * WIDTH + 0.3, len(lines) * HEIGHT + 0.3)
    figure.set_facecolor(PAPER)
    for number, (line, is_reverse) in enumerate(lines):
        top = 10 * ((len(lines) - number) * HEIGHT + 0.15)
        if is_reverse:
            axes.axhspan(top - 10 * HEIGHT, top, color=LETTERS, linewidth=0)
        for column, letter in enumerate(line.rstrip()):
            axes.text(10 * (column * WIDTH + 0.15), top - 5 * HEIGHT, letter, family='DejaVu Sans Mono', fontsize=11, va='center',
                      color=PAPER if is_reverse else LETTERS)
    save(figure, 'top')


draw()
