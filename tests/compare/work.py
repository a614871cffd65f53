# SPDX-License-Identifier: LGPL-2.1-or-later
"""Work of several kinds, the same in each run: C that calls Python that calls C."""
import functools
import json
import re
import sys

WORD = re.compile(r"\b([a-z]+)_([a-z]+)\b")


def swap(match):
    return match.group(2) + " " + match.group(1)


class Tree:
    def __init__(self, n):
        self.key = n * 7919 % 1009
        self.below = [Tree(n // 3), Tree(n // 2)] if n > 3 else []

    def __lt__(self, other):
        return self.key < other.key

    def all(self):
        yield self
        for one in self.below:
            yield from one.all()


def nested(depth):
    """Deeply: the C stack is as deep."""
    return {"n": depth, "list": [nested(depth - 1)] * 2 if depth else list(range(40))}


def fold(total, node):
    return (total * 31 + node.key + len(node.below)) % 1000003


def main(rounds):
    text = "".join(f"call_{chr(97 + i % 26)} of_stack frame_pointer {i}\n" for i in range(900))
    total = 0
    for i in range(rounds):
        nodes = sorted(Tree(900 + i).all())
        total = functools.reduce(fold, nodes, total)
        total += len(json.dumps(nested(7), indent=None)) + len(WORD.sub(swap, text))
        total += len(json.loads(json.dumps(nested(6))))
    print(total)


main(int(sys.argv[1]))
