# SPDX-License-Identifier: GPL-2.0
"""floors.svg: the folders of src and the files in them, each of which includes only what is on its floor or below. The
floors are those of scripts/house/floors, which checks that."""
import re

from style import HERE, INK, box, canvas, save

TOP = HERE.parent.parent
WHAT = {
    'src/main.c': 'load and unload',
    'src/parts.c': 'when each part begins and ends',
}
WIDTH, HEIGHT, GAP, LEFT = 74, 4.8, 1.2, 8
LINE = 80  # letters in a box of the whole width


def read_floors():
    """The folders of each floor, roof first. A header, or a folder of headers, is where its .c is."""
    text = (TOP / 'scripts/house/floors').read_text(encoding='utf-8')
    floors = re.search(r"^floors='\n(.*?)^'", text, re.M | re.S).group(1).splitlines()
    return [[name for name in floor.split() if name.startswith('src/') and not name.endswith('.h')] for floor in floors]


def fold(words, letters):
    """Words, in as few lines as they fit into."""
    lines = ['']
    for word in words:
        if len(lines[-1]) + 2 + len(word) > letters:
            lines.append('')
        lines[-1] += ('  ' if lines[-1] else '') + word
    return '\n'.join(lines)


def describe(name, letters):
    return WHAT.get(name) or fold(sorted(path.stem for path in (TOP / name).glob('*.c')), letters)


def draw_floor(axes, floor, y, height):
    width = (WIDTH - 1.5 * (len(floor) - 1)) / len(floor)
    for i, (name, text) in enumerate(floor):
        box(axes, (LEFT + i * (width + 1.5), y), (width, height), text, 'memward' if 'core' in name else 'group', bold=name)


def draw():
    floors = [[(name, describe(name, LINE / len(floor) - 2)) for name in floor] for floor in read_floors()]
    heights = [HEIGHT + 1.9 * max(text.count('\n') for _, text in floor) for floor in floors]
    total = sum(heights) + GAP * (len(floors) + 1)
    figure, axes = canvas(8.4, total / 10)
    y = total
    for floor, height in zip(floors, heights):
        y -= height + GAP
        draw_floor(axes, floor, y, height)
    axes.annotate('', (5.5, 2 * GAP), (5.5, total - 2 * GAP),
                  arrowprops={'arrowstyle': '-|>', 'color': INK, 'linewidth': 1.5})
    axes.text(3.2, total / 2, 'includes go down', rotation=90, ha='center', va='center')
    save(figure, 'floors')


draw()
