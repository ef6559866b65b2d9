# SPDX-License-Identifier: GPL-2.0
"""tap.py NR FAILED: what `go test -json` says, as TAP whose first NR lines were printed already."""

import json
import sys


def tests(lines):
    """Each test, with how it ended and what it said. A package that does not compile is one that has failed."""
    said = {}
    for line in lines:
        try:
            event = json.loads(line)
        except json.JSONDecodeError:
            # what the compiler says
            print("#", line.rstrip())
            continue
        key = event.get("Package", event.get("ImportPath", "?")), event.get("Test")
        if event["Action"] in ("output", "build-output"):
            said.setdefault(key, []).append(event["Output"].rstrip())
        elif event["Action"] in ("pass", "fail", "skip", "build-fail"):
            # a package counts only if it could not say what of it has failed
            if key[1] or event["Action"] in ("fail", "build-fail"):
                yield key, event["Action"], said.pop(key, [])


def main():
    number, failed = int(sys.argv[1]), int(sys.argv[2])
    for (package, test), action, said in tests(sys.stdin):
        number += 1
        bad = action in ("fail", "build-fail")
        failed |= bad
        if bad:
            for line in said:
                print("#", line)
        name = package.removeprefix("memward/") + (": " + test if test else "")
        print(f"{'not ' if bad else ''}ok {number} - command: {name}{' # SKIP' if action == 'skip' else ''}")
    print(f"1..{number}")
    return bool(failed)


sys.exit(main())
