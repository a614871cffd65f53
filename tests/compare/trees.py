# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reads what profilers have written into stacks of functions, all by one rule:
a function is what one entry of an object's call frame information describes."""
import bisect
import collections
import functools
import os
import re
import struct


def numbers(data, at, form):
    """One structure out of a file."""
    return struct.unpack_from("<" + form, data, at)


class Object:
    """A program or library: where its functions begin."""

    def __init__(self, path):
        self.name = os.path.basename(path)
        self.segments, self.starts, self.entry = [], [], None
        if not os.path.isfile(path):
            return
        with open(path, "rb") as file:
            data = file.read()
        self.entry, headers = numbers(data, 24, "QQ")
        size, count = numbers(data, 54, "HH")
        for i in range(count):
            kind, _, offset, address, _, inside = \
                numbers(data, headers + i * size, "IIQQQQ")
            if kind == 1:
                self.segments.append((offset, inside, address))
            if kind == 0x6474e550:
                self.read_table(data, offset, address)

    def read_table(self, data, offset, address):
        """.eh_frame_hdr, in the form that linkers make."""
        assert data[offset:offset + 4] == b"\x01\x1b\x03\x3b", self.name
        count, = numbers(data, offset + 8, "I")
        self.starts = [address + numbers(data, offset + 12 + 8 * i, "i")[0] for i in range(count)]

    def function(self, address):
        """Its name: one for all addresses in it."""
        i = bisect.bisect_right(self.starts, address) - 1
        if i < 0:
            return f"[{self.name}]"
        return f"{self.name}+{self.starts[i]:#x}"

    def address(self, offset):
        """Of a place in the file."""
        for first, size, address in self.segments:
            if first <= offset < first + size:
                return offset - first + address
        return offset


@functools.cache
def get_object(path):
    """Each is read once."""
    return Object(os.path.realpath(path))


def read_cpuprofile(path):
    """Stacks of a CPU profile of gperftools, outermost first: lists of
    (object, address). Where objects are is at the file's end."""
    with open(path, "rb") as file:
        data = file.read()
    at, stacks, maps = 40, [], []
    assert numbers(data, 0, "QQQ") == (0, 3, 0)
    while True:
        count, depth = numbers(data, at, "QQ")
        pcs = numbers(data, at + 16, f"{depth}Q")
        at += 16 + 8 * depth
        if not count:
            break
        stacks.append((count, pcs))
    for line in data[at:].decode().splitlines():
        part = line.split(None, 5)
        if len(part) == 6 and "x" in part[1]:
            low, high = (int(x, 16) for x in part[0].split("-"))
            maps.append((low, high, int(part[2], 16), part[5].strip()))

    def find(pc):
        for low, high, offset, path in maps:
            if low <= pc < high:
                thing = get_object(path)
                return thing, thing.address(pc - low + offset)
        return None, pc

    for count, pcs in stacks:
        yield count, [find(pc - (i > 0)) for i, pc in enumerate(pcs)][::-1]


def read_perf(path, before):
    """The same of what perf script prints: places in files. The calls' addresses,
    or those that they return to, which are BEFORE that."""
    stack = []
    with open(path, encoding="utf-8") as file:
        for line in file:
            part = re.match(r"\s+([0-9a-f]+) .*\((.*)\)$", line)
            if part:
                if "[kernel" not in part[2] and ".ko" not in part[2]:
                    thing = get_object(part[2])
                    stack.append((thing, thing.address(
                        int(part[1], 16) - (before if stack else 0))))
            elif not line.strip() and stack:
                yield 1, stack[::-1]
                stack = []


def paths(stacks, program):
    """Paths from main() on, each with a count; and how many stacks there are, how
    many have begun where programs begin, and how many are below main()."""
    counts, all_of, whole, inside = collections.Counter(), 0, 0, 0
    program = get_object(program)
    begin = program.function(program.entry)
    for count, stack in stacks:
        all_of += count
        thing, address = stack[0]
        if thing is None or not thing.entry or thing.function(address) != \
                thing.function(thing.entry):
            continue
        whole += count
        if thing is not program or program.function(address) != begin:
            continue
        first = 1
        while first < len(stack) and stack[first][0] is not None and \
                stack[first][0].name == "libc.so.6":
            first += 1
        if first == 1 or first >= len(stack) or stack[first][0] is not program:
            continue
        inside += count
        counts[tuple(thing.function(address) if thing else "?"
                     for thing, address in stack[first:])] += count
    return counts, all_of, whole, inside
