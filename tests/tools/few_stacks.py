# SPDX-License-Identifier: LGPL-2.1-or-later
"""few_stacks.py FILE [PROGRAM MAIN WORK LEAF IDLE]: writes a profile of 100
samples, one each millisecond, of a position-independent program with functions
of these addresses, or of one whose functions are its pages: 50 of main, work,
leaf in thread 11, 30 of main, idle, read() in thread 12, and 20 of leaf without a
stack. BUSY=N in the environment: N of the first, 80 - N of the second."""
import os
import struct
import sys

from stream import difference, frames, number

LOG_AT = 4096
SAMPLES_AT = 8192
PAGES = 0x401010, 0x402020, 0x403030, 0x404040
BIAS = 0x555500000000
RESET, THREAD, COUNT, SPAN, KERNEL, SYSCALL, NAME = \
    1, 2, 16, 32, 64, 128, 2048


def record(*parts):
    body = b"".join(parts)
    return number(len(body)) + body


def padded(text):
    return text + bytes(8 - len(text) % 8)


def main():
    if len(sys.argv) > 2:
        text = padded(sys.argv[2].encode())
        place = BIAS, BIAS + 0x100000, BIAS, 0
        functions = [BIAS + int(address, 16) for address in sys.argv[3:]]
    else:
        text, place, functions = padded(b"/none/prog"), \
            (0x401000, 0x408000, 0, 0x1000), PAGES
    top, work, leaf, idle = functions
    log = struct.pack("<QQQQII32s", *place, 0, 0, b"")
    log = struct.pack("<IIQ", 1, 16 + len(log + text), 0) + log + text
    busy = int(os.environ.get("BUSY", 50))
    pcs = busy * [leaf] + (80 - busy) * [idle] + 20 * [leaf]
    stream = record(number(RESET | THREAD | COUNT | SPAN), number(1), number(11),
                    number(busy - 2), number(1000 * busy - 1000),
                    difference(5000000),
                    frames([], [top, work, leaf]))
    stream += record(number(THREAD | COUNT | SPAN | KERNEL | SYSCALL), number(12),
                     number(78 - busy), number(79000 - 1000 * busy), number(0),
                     difference(1000 * busy),
                     frames([], [top, idle]))
    stream += record(number(NAME), number(6), b"worker")
    stacks_at = SAMPLES_AT + 8 * len(pcs)
    header = struct.pack(
        "<8sIIIIQQQQQQIIIIQQIIIIQQQQQQQQQ16s", b"\177PROFIL\n", 2, 208, 0x01020304,
        8, LOG_AT, SAMPLES_AT - LOG_AT, len(log), SAMPLES_AT, len(pcs),
        1000000, 2, 2, 4711, 0, 10**18, 10**18 + 10**8, 1, 0, 0, 0, 100, 100, 0, 0,
        stacks_at, len(stream), len(stream), 20, 5 * 10**9, b"")
    with open(sys.argv[1], "wb") as file:
        file.write(header.ljust(LOG_AT, b"\0") + log)
        file.seek(SAMPLES_AT)
        file.write(struct.pack("<100Q", *pcs) + stream)


main()
