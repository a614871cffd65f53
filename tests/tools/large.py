# SPDX-License-Identifier: LGPL-2.1-or-later
"""large.py FILE SAMPLES [--stacks] OBJECT...: writes a profile file with so many
samples in the executable segments of these objects, most of them in few places;
with a record of a stack for each of them."""
import array
import random
import struct
import sys

from stream import difference, frames, number

LOG_AT = 4096
SAMPLES_AT = 65536


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


def write_stacks(rng, pcs, samples, file):
    """Writes a stream; returns the innermost pcs and what is to be written."""
    stacks = make_stacks(rng, pcs)
    last, made, stream, some = {}, {}, bytearray(), array.array("Q")
    thread = before = 0
    for i in range(samples):
        if i % 64 == 0:
            thread = rng.randrange(1, 9)
        which = int(len(stacks) * rng.random() ** 2)
        # RESET, THREAD; a millisecond later.
        head = (1 if i == 0 else 0) | (2 if thread != before else 0)
        key = head, thread, last.get(thread), which
        if key not in made:
            old = stacks[last[thread]] if thread in last else []
            record = number(head) + (b"\1" if head & 1 else b"")
            record += number(thread) if head & 2 else b""
            record += difference(1000) + frames(old, stacks[which])
            made[key] = number(len(record)) + record
        stream += made[key]
        last[thread], before = which, thread
        some.append(stacks[which][-1])
    some.tofile(file)
    return stream


def main():
    path, samples = sys.argv[1], int(sys.argv[2])
    with_stacks = sys.argv[3] == "--stacks"
    rng = random.Random(1)
    log, pcs, bias = b"", [], 0x550000000000
    for name in sys.argv[4 if with_stacks else 3:]:
        for address, size, offset in segments(name):
            text = name.encode() + b"\0"
            text += bytes(-len(text) % 8)
            record = struct.pack("<QQQQII32s", address + bias,
                                 address + size + bias, bias, offset, 0, 0,
                                 b"") + text
            log += struct.pack("<IIQ", 1, 16 + len(record), 0) + record
            pcs += [bias + address + rng.randrange(size) for _ in range(20000)]
        bias += 0x100000000
    header = struct.pack(
        "<8sIIIIQQQQQQIIIIQQIIIIQQQ64s", b"\177PROFIL\n", 1, 208, 0x01020304,
        8, LOG_AT, SAMPLES_AT - LOG_AT, len(log), SAMPLES_AT, samples + 1,
        1000000, 2, 2, 1, 0, 1, 2, 1, 0, 0, 0, samples, samples, 0, b"")
    with open(path, "wb") as file:
        file.write(header.ljust(LOG_AT, b"\0") + log)
        file.seek(SAMPLES_AT)
        if with_stacks:
            stream = write_stacks(rng, pcs, samples, file)
            file.seek(SAMPLES_AT + 8 * (samples + 1))
            file.write(stream)
            file.seek(8)
            file.write(b"\2")
            file.seek(152)
            file.write(struct.pack("<QQ", SAMPLES_AT + 8 * (samples + 1),
                                   len(stream)))
            return
        some = array.array("Q", (pcs[int(len(pcs) * rng.random() ** 3)]
                                 for _ in range(500000)))
        for _ in range(samples // len(some)):
            some.tofile(file)


main()
