# SPDX-License-Identifier: LGPL-2.1-or-later
"""seeds.py DIRECTORY: what the fuzzers of profile files begin with."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../tools"))
from stream import difference, frames, number  # noqa: E402

LOG_AT = 208
RESET, THREAD, COUNT, SPAN, KERNEL, SYSCALL, CUT, NAME = \
    1, 2, 16, 32, 64, 128, 256, 2048


def record(kind, sample, payload):
    payload += bytes(-len(payload) % 8)
    return struct.pack("<IIQ", kind, 16 + len(payload), sample) + payload


def library(sample, path, start, end, bias, build_id=b""):
    return record(1, sample, struct.pack(
        "<QQQQII32s", start, end, bias, start - bias, len(build_id), 0,
        build_id) + path + b"\0")


def profile(log, pcs, width):
    samples_at = LOG_AT + len(log)
    return struct.pack(
        "<8sIIIIQQQQQQIIIIQQIIIIQQQ64s", b"\177PROFIL\n", 1, 208, 0x01020304,
        width, LOG_AT, len(log), len(log), samples_at, 1000, 1000000, 2, 2,
        4711, 0, 10**18, 10**18 + 10**9, 1, 0, 0, 0, len(pcs), len(pcs), 0,
        b"") + log + struct.pack(f"<{len(pcs)}{'Q' if width == 8 else 'I'}", *pcs)


def stack_record(*parts):
    body = b"".join(parts)
    return number(len(body)) + body


def with_stacks(log, pcs, stream):
    """The same, with stacks behind the samples."""
    plain = bytearray(profile(log, pcs, 8))
    struct.pack_into("<I", plain, 8, 2)
    struct.pack_into("<Q", plain, 56, len(pcs))
    struct.pack_into("<QQQQQ", plain, 152, len(plain), len(stream), len(stream),
                     0, 5 * 10**9)
    return bytes(plain) + stream


def main():
    one, two = [0x401010, 0x402020, 0x402040], [0x401010, 0x402020, 0x7f0000001010]
    seeds = {
        "plain": profile(
            library(0, b"/bin/prog", 0x401000, 0x403000, 0) +
            library(0, b"/lib/x.so.1", 0x7f0000001000, 0x7f0000009000,
                    0x7f0000000000, b"0123456789abcdef0123"),
            [0x401234, 0x401238, 0x402000, 0x7f0000002000] * 4, 8),
        "events": profile(
            record(6, 0, b"a name\0") + record(7, 0, b"host\0") +
            record(4, 0, b"prog\0-a\0b c\0") +
            library(0, b"/a.so", 0x1000, 0x3000, 0) +
            record(2, 4, struct.pack("<Q", 0x1000)) + record(5, 6, b"") +
            library(6, b"[vdso]", 0x2000, 0x4000, 0x2000),
            [0x1100, 0x2200, 0, 0x2200, 0xdead1000, 0, 2**64 - 1, 0x3300], 8),
        "narrow": profile(
            library(0, b"/bin/\x1b[2Jx\ny", 0x8048000, 0x8049000, 0),
            [0x8048100, 0x8048200, 0, 0xfffffff0], 4),
    }
    seeds["stacks"] = with_stacks(
        library(0, b"/bin/prog", 0x401000, 0x403000, 0) +
        library(0, b"/lib/x.so.1", 0x7f0000001000, 0x7f0000009000, 0x7f0000000000) +
        record(2, 5, struct.pack("<Q", 0x7f0000001000)),
        [one[2]] * 3 + [two[2]] * 3 + [one[2], 0, one[0]],
        stack_record(number(RESET | THREAD | COUNT | SPAN), number(1), number(7),
                     number(1), number(2000), difference(5000000),
                     frames([], one)) +
        stack_record(number(NAME), number(6), b"worker") +
        stack_record(number(THREAD | COUNT | KERNEL | SYSCALL), number(8),
                     number(0), number(1), difference(3000), frames([], two)) +
        stack_record(number(THREAD | KERNEL | CUT), number(7), number(3),
                     difference(9000), frames(one, two)))
    for name, content in seeds.items():
        with open(os.path.join(sys.argv[1], name), "wb") as file:
            file.write(content)


main()
