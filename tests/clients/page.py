# SPDX-License-Identifier: LGPL-2.1-or-later
"""page.py DIRECTORY FUNCTIONS [OBJECT]: writes profiles of three processes, with
so many functions in all, some of very long names. OBJECT is a library that two
of them have in memory."""
import os
import random
import struct
import sys

BIAS = 0x7f0000000000
LOG_AT = 4096
SAMPLES_AT = 65536
LONG = ("std::__detail::_Map_base<std::basic_string<char>, std::pair<const "
        "std::basic_string<char>, number_%d>, std::allocator<std::pair<const "
        "std::basic_string<char>, int>>>::operator[](std::basic_string<char> "
        "const&)")


def record(kind, payload):
    payload += bytes(-len(payload) % 8)
    return struct.pack("<IIQ", kind, 16 + len(payload), 0) + payload


def library(path):
    return record(1, struct.pack("<QQQQII32s", BIAS, BIAS + 0x40000, BIAS, 0, 0,
                                 0, b"") + path.encode() + b"\0")


def header(pid, log, samples, ended):
    start = 1763757000 * 10**9
    return struct.pack(
        "<8sIIIIQQQQQQIIIIQQIIIIQQQ64s", b"\177PROFIL\n", 1, 208, 0x01020304,
        8, LOG_AT, SAMPLES_AT - LOG_AT, len(log), SAMPLES_AT, 1 << 30, 1000000,
        2, 2, pid, 0, start + pid * 10**9, start + 60 * 10**9 if ended else 0,
        int(ended), 0, 0, 0, samples, samples, 0, b"")


def write(directory, pid, arguments, pcs, objects):
    log = record(6, arguments[0].encode() + b"\0") + \
        record(7, b"build.example.org\0") + \
        record(4, b"".join(word.encode() + b"\0" for word in arguments))
    for path in objects:
        log += library(path)
    path = os.path.join(directory, f"{arguments[0]}.{pid}")
    with open(path, "wb") as file:
        file.write(header(pid, log, len(pcs), pid != 3).ljust(LOG_AT, b"\0"))
        file.write(log)
        file.seek(SAMPLES_AT)
        file.write(struct.pack(f"<{len(pcs)}Q", *pcs))


def write_map(directory, pid, first, count):
    with open(os.path.join(directory, f"perf-{pid}.map"), "w",
              encoding="ascii") as file:
        for i in range(first, first + count):
            name = f"function_{i}" if i % 7 else LONG % i
            file.write(f"{0x10000 + i * 64:x} 40 {name}\n")


def main():
    directory, functions, objects = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
    rng = random.Random(3)
    os.makedirs(directory, exist_ok=True)
    commands = (["server", "--file=/etc/" + "long/" * 30 + "server.conf", "<b>"],
                ["worker", "-v"], ["sh", "-c", "server & worker"])
    first = 0
    for number, arguments in enumerate(commands):
        pid = number + 1
        count = functions // 2 if number < 2 else functions % 2 + 1
        write_map(directory, pid, first, count)
        pcs = []
        for i in range(first, first + count):
            address = 0x10000 + i * 64
            pcs += [address + 4 * rng.randrange(16)
                    for _ in range(max(1, 400 // (i - first + 1)))]
        if number < 2:
            pcs += [BIAS + 0x1040 + rng.randrange(0x180) for _ in objects
                    for _ in range(300)]
        rng.shuffle(pcs)
        write(directory, pid, arguments, pcs, objects if number < 2 else [])
        first += count


main()
