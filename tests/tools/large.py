# SPDX-License-Identifier: LGPL-2.1-or-later
"""large.py FILE SAMPLES OBJECT...: writes a profile file with so many samples
in the executable segments of these objects, most of them in few places."""
import array
import random
import struct
import sys

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


def main():
    path, samples = sys.argv[1], int(sys.argv[2])
    rng = random.Random(1)
    log, pcs, bias = b"", [], 0x550000000000
    for name in sys.argv[3:]:
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
        some = array.array("Q", (pcs[int(len(pcs) * rng.random() ** 3)]
                                 for _ in range(500000)))
        for _ in range(samples // len(some)):
            some.tofile(file)


main()
