# SPDX-License-Identifier: LGPL-2.1-or-later
"""seeds.py DIRECTORY: what the fuzzers of profile files begin with."""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tools"))
os.chdir(sys.argv[1])
# pylint: disable=wrong-import-position
from profile_file import ARGUMENTS, HOST, KERNEL, PROCESS, SYSCALL, Profile  # noqa: E402

MAIN, WORK, LEAF, IN_X = 0x401010, 0x402020, 0x402040, 0x7f0000001010


def prog(**build_id):
    return Profile().object("/bin/prog", 0x401000, 0x403000).object(
        "/lib/x.so.1", 0x7f0000001000, 0x7f0000009000, 0x7f0000000000, **build_id)


plain = prog(build_id=b"0123456789abcdef0123")
plain.pcs.extend([0x401234, 0x401238, 0x402000, 0x7f0000002000] * 4)
plain.write("plain")
events = Profile().record(PROCESS, b"a name\0").record(HOST, b"host\0").record(
    ARGUMENTS, b"prog\0-a\0b c\0").object("/a.so", 0x1000, 0x3000).gone(0x1000, 4).record(
    5, b"", 6).object("[vdso]", 0x2000, 0x4000, 0x2000, sample=6)
events.pcs.extend([0x1100, 0x2200, 0, 0x2200, 0xdead1000, 0, 2**64 - 1, 0x3300])
events.write("events")
narrow = Profile(4).object("/bin/\x1b[2Jx\ny", 0x8048000, 0x8049000)
narrow.pcs.extend([0x8048100, 0x8048200, 0, 0xfffffff0])
narrow.write("narrow")
prog().gone(0x7f0000001000, 5).stack(7, 3, LEAF, WORK, MAIN).name(7, b"worker").stack(
    8, 3, IN_X, WORK, MAIN, head=KERNEL | SYSCALL).stack(
    7, 1, IN_X, WORK, MAIN, head=KERNEL, end=3).samples(0).samples(MAIN).write("stacks")
with open("stacks", "rb") as file, open("timeless", "wb") as other:
    other.write(b"\1" + file.read()[1:])
