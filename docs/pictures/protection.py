# SPDX-License-Identifier: GPL-2.0
"""protection.svg: what is left of a process for each memory.low, from the table "kept of 190 MB" of docs/performance.md."""
from style import HERE, MEMCG, MEMWARD, PLAIN, plt, save

TABLE = HERE.parent / 'performance.md'
USED = 190  # MB, by the process

# The LRU that Debian's kernel runs unless it is told otherwise.
PANELS = {'6.1, classic': 'Debian 12 (6.1)', '6.12, MGLRU': 'Debian 13 (6.12)', '7.2, MGLRU': 'Debian 13 backports (7.2)'}


def cells(line):
    return [cell.strip() for cell in line.strip('|\n').split('|')]


def read_table():
    """{column: [(memory.low, MB with memward, MB with memcg)]}, the smallest setting first."""
    lines = TABLE.read_text(encoding='utf-8').splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith('| kept of 190 MB'))
    columns = {name: [] for name in cells(lines[start])[1:]}
    for line in lines[start + 2:]:
        if not line.startswith('|'):
            break
        low, *kept = cells(line)
        for column, pair in zip(columns.values(), kept):
            column.insert(0, (int(low.rstrip('M')), *map(int, pair.split('/'))))
    return columns


def draw_panel(axes, rows, title):
    low, memward, memcg = zip(*rows)
    axes.plot([0, USED, low[-1]], [0, USED, USED], ':', color=PLAIN)
    axes.plot(low, memcg, 'o-', color=MEMCG)
    axes.plot(low, memward, 's-', color=MEMWARD)
    axes.set(title=title, xlabel='memory.low, MB', xticks=low, xlim=(-6, 216), ylim=(0, 205))
    axes.tick_params(axis='x', labelsize=9)


def draw():
    columns = read_table()
    figure, panels = plt.subplots(1, len(PANELS), figsize=(10, 4), sharey=True, layout='constrained')
    for axes, (column, title) in zip(panels, PANELS.items()):
        draw_panel(axes, columns[column], title)
    panels[0].set_ylabel(f'MB kept of {USED}')
    panels[1].text(122, 182, 'memward', color=MEMWARD, ha='right', va='center')
    panels[1].text(205, 66, 'the kernel\'s own\nmemory.low', color=MEMCG, ha='right', va='center')
    panels[1].text(50, 36, 'the setting', color=PLAIN, ha='left', va='center')
    save(figure, 'protection')


draw()
