# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds the stacks of profile files against their samples.

The first sample of each record is that of its innermost pc. No pc is in more records than
it has samples. Each sample that the file counts is in a record, or the file counts it as one
without a stack; SPARE more may be on their way. A late tick comes after the counts. A process
that was killed has no counts: all its samples count, and SPARE records may have no sample."""
import array
import collections
import ctypes
import functools
import os
import struct

ENDED = 1               # state of a process
RESET, NAME = 1, 2048   # flags of a record


class Stack(ctypes.Structure):
    """As <libprofil.h> has it."""
    _fields_ = [*((name, ctypes.c_uint64) for name in ("sample", "count", "time_ns", "span_ns")),
                *((name, ctypes.c_uint32) for name in ("thread", "cpu", "flags", "syscall", "end",
                                                       "nframes")),
                ("frame", ctypes.POINTER(ctypes.c_uint64)), ("name", ctypes.c_char_p)]


@functools.cache
def library():
    made = ctypes.CDLL("libprofil.so.1")
    made.profil_stacks_open.argtypes = ctypes.c_char_p, ctypes.c_size_t
    made.profil_stacks_open.restype = ctypes.c_void_p
    made.profil_stacks_next.argtypes = ctypes.c_void_p, ctypes.POINTER(Stack)
    made.profil_stacks_offset.argtypes = made.profil_stacks_close.argtypes = [ctypes.c_void_p]
    made.profil_stacks_offset.restype = ctypes.c_size_t
    return made


def take(file, at, room):
    """What there is of the samples or the stacks, which may be followed by holes."""
    try:
        if os.lseek(file.fileno(), at, os.SEEK_DATA) != at:
            return b""
        end = os.lseek(file.fileno(), at, os.SEEK_HOLE)
    except OSError:
        return b""
    return os.pread(file.fileno(), min(end - at, room), at)


class Fit:
    """What there is in all files, and what is wrong. Other files are passed over."""
    def __init__(self, files, spare):
        self.good, self.text = True, ""
        self.ticks = self.complete = self.samples = self.names = self.records = self.bytes = 0
        self.late = 0
        for path in files:
            self.check(path, spare)

    def wrong(self, *what):
        self.good = False
        self.text += f"wrong: {', '.join(map(str, what))}\n"

    def check(self, path, spare):
        with open(path, "rb") as file:
            head = file.read(184).ljust(184, b"\0")
            magic, width, samples_at, room, state, due, stacks_at, stacks_room, stack_bytes, \
                stackless = struct.unpack("<8s12xI24xQQ40xI12xQ24xQQQQ", head)
            if magic != b"\177PROFIL\n":
                return
            pcs = take(file, samples_at, width * room)
            stream = take(file, stacks_at, stacks_room) if stacks_at else b""
        if not stacks_at:
            self.text += f"{path}: no stacks\n"
            return
        pcs = array.array("Q" if width == 8 else "I", pcs[:len(pcs) & -width])
        while pcs and not pcs[-1]:
            pcs.pop()
        # At most 100 ticks are late. There are no counts if the page was gone.
        due = max(min(due, len(pcs)), len(pcs) - 100) if state == ENDED and due else len(pcs)
        before = self.late
        # Last samples whose stacks may be there although they are not.
        unstored = 0 if state == ENDED else spare
        seen = self.read(path, pcs, stream, unstored, stack_bytes if state == ENDED else 0, due)
        ticks, have = sum(seen.values()), collections.Counter(pcs)
        if ticks > len(pcs) + unstored:
            self.wrong(path, "more stacks than samples", ticks, len(pcs))
        if ticks - (self.late - before) + stackless + spare < due:
            self.wrong(path, "samples without a stack", stackless, (have - seen).most_common(3))
        # A sample that was lost may have a stack.
        missing = sum(max(n - have[pc], 0) for pc, n in seen.items()) - have[0]
        if missing > unstored:
            self.wrong(path, "stacks without a sample", missing, ticks)
        self.samples += len(pcs)

    def read(self, path, pcs, stream, unstored, least, due):
        """The pcs of all records, each as often as it has ticks."""
        stacks, stack = library().profil_stacks_open(stream, len(stream)), Stack()
        seen, resets, before = collections.Counter(), 0, (self.ticks, self.records)
        while (more := library().profil_stacks_next(stacks, stack)) == 1:
            self.records += 1
            resets += bool(stack.flags & RESET)
            if stack.flags & NAME:
                self.names += 1
                continue
            if stack.sample >= len(pcs) + unstored:
                self.wrong(path, "no such sample", stack.sample, len(pcs))
            elif stack.sample < len(pcs) and pcs[stack.sample] not in (0, stack.frame[0]):
                self.wrong(path, "another sample's stack", stack.sample, stack.frame[0])
            seen[stack.frame[0]] += stack.count
            self.ticks += stack.count
            self.late += min(max(stack.sample + stack.count - due, 0), stack.count)
            self.complete += 0 if stack.end else stack.count
        size = library().profil_stacks_offset(stacks)
        library().profil_stacks_close(stacks)
        if more < 0:
            self.wrong(path, "damaged, of so many bytes", size, len(stream))
        if size < least:
            self.wrong(path, "stacks are missing", size, least)
        self.bytes += size
        self.text += (f"{path}: {len(pcs)} samples, {self.ticks - before[0]} in "
                      f"{self.records - before[1]} records of {size} bytes, {resets} resets, "
                      f"the last record is of sample {stack.sample}\n")
        return seen
