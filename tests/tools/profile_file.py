# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parts of profile files and of their streams of stacks, as profil-file(5) and
<linux/profil_stacks.h> have them."""
import array
import os
import struct

RESET, THREAD, SAMPLE, COUNT, SPAN, KERNEL, SYSCALL, CUT, NAME, WAIT, RUNNABLE = \
    1, 2, 8, 16, 32, 64, 128, 256, 2048, 4096, 8192
ARGUMENTS, PROCESS, HOST, PHASE = 4, 6, 7, 8   # in the log
LOG_AT = 208
HEADER = ("8s:magic I:version I:header_size I:byte_order I:sample_width Q:log_offset "
    "Q:log_capacity Q:log_used Q:samples_offset Q:capacity Q:period_ns I:rate I:flags I:pid "
    "I:parent Q:started_ns Q:ended_ns I:state I:unprofiled I:log_lost I:stopped Q:ticks "
    "Q:counted Q:dropped I:unattended I:waits_lost Q:stacks_offset Q:stacks_capacity Q:stack_bytes "
    "Q:stackless Q:monotonic_ns I:refused I:start_error I:file_error I:run").split()


def log_record(kind, payload, sample=0):
    payload += bytes(-len(payload) % 8)
    return struct.pack("<IIQ", kind, 16 + len(payload), sample) + payload


def number(n):
    """An unsigned LEB128."""
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def difference(n):
    return number(n << 1 if n >= 0 else (-n << 1) - 1)


def stack_record(*parts):
    body = b"".join(parts)
    return number(len(body)) + body


def frames(last, stack):
    """Those of STACK, outermost first, behind the same thread's LAST."""
    keep = 0
    while keep < min(len(last), len(stack)) and last[keep] == stack[keep]:
        keep += 1
    base = last[keep if keep < len(last) else keep - 1] if keep else 0
    out = number(keep) + number(len(stack) - keep)
    for pc in stack[keep:]:
        out += difference(pc - base)
        base = pc
    return out


class Profile:
    """A file of 1 ms samples, of which FIELDS of the header are as wanted."""
    def __init__(self, width=8, **fields):
        self.fields = fields
        self.log, self.stream = b"", bytearray()
        self.pcs = array.array({8: "Q", 4: "I"}[width])
        self.last, self.thread, self.next, self.time = {}, 0, 0, 0

    def record(self, kind, payload, sample=0):
        self.log += log_record(kind, payload, sample)
        return self

    def object(self, path, start, end, bias=0, offset=None, sample=0, build_id=b""):
        offset = start - bias if offset is None else offset
        return self.record(1, struct.pack("<QQQQII32s", start, end, bias, offset, len(build_id), 0,
                                          build_id) + os.fsencode(path) + b"\0", sample)

    def gone(self, start, sample):
        return self.record(2, struct.pack("<Q", start), sample)

    def samples(self, pc, n=1):
        self.pcs.extend([pc] * n)
        return self

    def add(self, thread, head, *fields):
        """A record of the stream; which thread it is of is said if need be."""
        head |= (0 if self.stream else RESET) | (THREAD if thread != self.thread else 0)
        self.stream += stack_record(
            number(head), number(1) if head & RESET else b"",
            number(thread) if head & THREAD else b"", *fields)
        self.thread = thread
        return self

    def name(self, thread, name):
        return self.add(thread, NAME, number(len(name)), name)

    def stack(self, thread, n, *stack, head=0, syscall=0, sample=None, end=0, at=None):
        """Of N samples, which are stored, or of one that is; innermost first. END says
        why it is not complete, and AT is a time in ms. Those of a WAIT are not stored."""
        first = self.next if head & WAIT else len(self.pcs) if sample is None else sample
        time, outer = 5000000 + 1000 * (first if at is None else at), stack[::-1]
        head |= (COUNT | SPAN if n > 1 else 0) | (SAMPLE if first != self.next else 0)
        head |= CUT if end else 0
        self.add(thread, head,
                 difference(first - self.next) if head & SAMPLE else b"",
                 number(n - 2) + number(1000 * (n - 1)) if n > 1 else b"",
                 number(syscall) if head & SYSCALL else b"", number(end) if end else b"",
                 difference(time - self.time), frames(self.last.get(thread, []), outer))
        self.next, self.time = first + n * (not head & WAIT), time
        if len(outer) > 1:
            self.last[thread] = outer
        return self if head & WAIT or sample is not None else self.samples(stack[0], n)

    def head(self):
        """Of a process that has ended, but for the fields; the stream is behind samples."""
        n, width, samples_at = len(self.pcs), self.pcs.itemsize, LOG_AT + len(self.log)
        fields = {
            "magic": b"\177PROFIL\n", "version": 2, "header_size": LOG_AT,
            "byte_order": 0x01020304, "sample_width": width, "log_offset": LOG_AT,
            "log_capacity": len(self.log), "log_used": len(self.log),
            "samples_offset": samples_at, "capacity": n, "period_ns": 1000000, "rate": 2,
            "flags": 2, "pid": 4711, "started_ns": 10**18, "ended_ns": 10**18 + 10**9,
            "state": 1, "ticks": n, "counted": n,
            "stacks_offset": samples_at + width * n if self.stream else 0,
            "stacks_capacity": len(self.stream), "stack_bytes": len(self.stream),
            "monotonic_ns": 5 * 10**9, **self.fields}
        names = [field.split(":") for field in HEADER]
        return struct.pack("<" + "".join(kind for kind, _ in names),
                           *(fields.get(name, 0) for _, name in names)) + self.log

    def bytes(self):
        return self.head() + self.pcs.tobytes() + self.stream

    def write(self, path, size=None):
        """Or so many bytes of it."""
        with open(path, "wb") as file:
            if size is None:
                file.write(self.head())
                self.pcs.tofile(file)
                file.write(self.stream)
            else:
                file.write(self.bytes()[:size])
        return self
