# SPDX-License-Identifier: LGPL-2.1-or-later
"""large.py FILE SAMPLES [--stacks=N] [--processes=N] OBJECT...: writes a profile file
with so many samples in the executable segments of these objects, most of them in few
places; with a record of a stack for each of them, of N different ones in 8 threads. With
processes, it writes FILE.1 to FILE.N, of so many samples each. Their first object is the
same in all, and has the outermost callers; the others are elsewhere in each."""
import argparse
import random
import struct

from profile_file import Profile, difference, frames

SHIFT = 50 * 64   # from process to process: in another function


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


def make_stacks(rng, pcs, n):
    """So many stacks, which have callers in common."""
    stacks = [pcs[:1]]
    while len(stacks) < n:
        stack = list(rng.choice(stacks))
        if len(stack) < 60:
            stack.append(rng.choice(pcs))
        stacks.append(stack)
    return [stack + [rng.choice(pcs)] for stack in stacks]


def add_stacks(rng, stacks, samples, made):
    """A millisecond after each other."""
    last, known = {}, {}
    for i in range(samples):
        which = i if i < len(stacks) else int(len(stacks) * rng.random() ** 2)
        thread = 1 + 8 * which // len(stacks)
        key = last.get(thread), which
        if key not in known:
            old = stacks[key[0]] if thread in last else []
            known[key] = difference(1000) + frames(old, stacks[which])
        made.add(thread, 0, known[key]).samples(stacks[which][-1])
        last[thread] = which


def add_objects(made, objects, shift=0):
    """Returns where code may be in all of them, for each."""
    bias, ranges = 0x550000000000, []
    for i, name in enumerate(objects):
        for address, size, offset in segments(name):
            moved = bias - (shift if i else 0)
            made.object(name, address + bias, address + size + bias, moved, offset=offset)
            ranges.append((bias + address, size))
        bias += 0x100000000
    return ranges


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("path")
    parser.add_argument("samples", type=int)
    parser.add_argument("objects", nargs="+")
    parser.add_argument("--stacks", type=int)
    parser.add_argument("--processes", type=int, default=0)
    args = parser.parse_intermixed_args()
    rng, made, pcs = random.Random(1), Profile(), []
    for start, size in add_objects(made, args.objects):
        size -= args.processes * SHIFT if pcs else 0
        pcs += [start + rng.randrange(0, size, 64) + rng.randrange(0, 9, 4) for _ in range(20000)]
    if args.stacks:
        add_stacks(rng, make_stacks(rng, pcs, args.stacks), args.samples, made)
    else:
        some = [pcs[int(len(pcs) * rng.random() ** 3)] for _ in range(500000)]
        made.pcs.extend(some)
        made.pcs *= args.samples // len(some)
    for i in range(args.processes):
        made.log, made.fields = b"", {"pid": 1000 + i}
        add_objects(made, args.objects, i * SHIFT)
        made.write(f"{args.path}.{i + 1}")
    if not args.processes:
        made.write(args.path)


main()
