# SPDX-License-Identifier: LGPL-2.1-or-later
"""large.py FILE SAMPLES [--stacks] OBJECT...: writes a profile file with so many
samples in the executable segments of these objects, most of them in few places;
with a record of a stack for each of them."""
import random
import struct
import sys

from profile_file import Profile, difference, frames


def segments(path):
    """Executable segments of an ELF file: address, size and offset."""
    with open(path, "rb") as file:
        data = file.read()
    phoff, = struct.unpack_from("<Q", data, 32)
    size, count = struct.unpack_from("<HH", data, 54)
    for i in range(count):
        kind, flags, offset, address, _, _, memory, _ = \
            struct.unpack_from("<IIQQQQQQ", data, phoff + i * size)
        if kind == 1 and flags & 1:
            yield address, memory, offset


def make_stacks(rng, pcs):
    """Some hundred stacks, which have callers in common."""
    stacks = [[pcs[0]]]
    while len(stacks) < 500:
        stack = list(rng.choice(stacks))
        if len(stack) < 60:
            stack.append(rng.choice(pcs))
        stacks.append(stack)
    return [stack + [rng.choice(pcs)] for stack in stacks]


def add_stacks(rng, pcs, samples, made):
    """A millisecond after each other."""
    stacks = make_stacks(rng, pcs)
    last, known, thread = {}, {}, 0
    for i in range(samples):
        if i % 64 == 0:
            thread = rng.randrange(1, 9)
        which = int(len(stacks) * rng.random() ** 2)
        key = last.get(thread), which
        if key not in known:
            old = stacks[key[0]] if thread in last else []
            known[key] = difference(1000) + frames(old, stacks[which])
        made.add(thread, 0, known[key]).samples(stacks[which][-1])
        last[thread] = which


def main():
    path, samples = sys.argv[1], int(sys.argv[2])
    with_stacks = sys.argv[3] == "--stacks"
    rng = random.Random(1)
    made, pcs, bias = Profile(), [], 0x550000000000
    for name in sys.argv[4 if with_stacks else 3:]:
        for address, size, offset in segments(name):
            made.object(name, address + bias, address + size + bias, bias, offset=offset)
            pcs += [bias + address + rng.randrange(size) for _ in range(20000)]
        bias += 0x100000000
    if with_stacks:
        add_stacks(rng, pcs, samples, made)
    else:
        some = [pcs[int(len(pcs) * rng.random() ** 3)] for _ in range(500000)]
        made.pcs.extend(some)
        made.pcs *= samples // len(some)
    made.write(path)


main()
