# SPDX-License-Identifier: GPL-2.0
"""emulate.py COLUMNS LINES: the screen of a terminal that was written to as on stdin; lines in reverse have a > before them."""
import sys

import pyte


def main(columns, lines):
    screen = pyte.Screen(columns, lines)
    pyte.ByteStream(screen).feed(sys.stdin.buffer.read())
    for number, line in enumerate(screen.display):
        print(('>' if screen.buffer[number][0].reverse else '') + line.rstrip())


main(int(sys.argv[1]), int(sys.argv[2]))
