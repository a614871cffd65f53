# SPDX-License-Identifier: LGPL-2.1-or-later
"""seeds.py DIRECTORY: what the fuzzers of profile files begin with."""
import os
import struct
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "../tools"))
from profile_file import (COUNT, CUT, KERNEL, NAME, RESET, SPAN, SYSCALL,  # noqa: E402
                          THREAD, difference, frames, header, library, log_record,
                          number, stack_record)

LOG_AT = 208


def profile(log, pcs, width=8, stream=b""):
    return header(log, len(pcs), LOG_AT, LOG_AT + len(log), width, stream=stream) + log + \
        struct.pack(f"<{len(pcs)}{'Q' if width == 8 else 'I'}", *pcs) + stream


def main():
    one, two = [0x401010, 0x402020, 0x402040], [0x401010, 0x402020, 0x7f0000001010]
    x_so = b"/lib/x.so.1", 0x7f0000001000, 0x7f0000009000, 0x7f0000000000
    prog = library(b"/bin/prog", 0x401000, 0x403000, 0)
    seeds = {
        "plain": profile(
            prog + library(*x_so, build_id=b"0123456789abcdef0123"),
            [0x401234, 0x401238, 0x402000, 0x7f0000002000] * 4),
        "events": profile(
            log_record(6, b"a name\0") + log_record(7, b"host\0") +
            log_record(4, b"prog\0-a\0b c\0") + library(b"/a.so", 0x1000, 0x3000, 0) +
            log_record(2, struct.pack("<Q", 0x1000), 4) + log_record(5, b"", 6) +
            library(b"[vdso]", 0x2000, 0x4000, 0x2000, sample=6),
            [0x1100, 0x2200, 0, 0x2200, 0xdead1000, 0, 2**64 - 1, 0x3300]),
        "narrow": profile(library(b"/bin/\x1b[2Jx\ny", 0x8048000, 0x8049000, 0),
                          [0x8048100, 0x8048200, 0, 0xfffffff0], 4),
    }
    seeds["stacks"] = profile(
        prog + library(*x_so) + log_record(2, struct.pack("<Q", 0x7f0000001000), 5),
        [one[2]] * 3 + [two[2]] * 3 + [one[2], 0, one[0]],
        stream=stack_record(number(RESET | THREAD | COUNT | SPAN), number(1), number(7),
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
