# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes code, a loop, says so in /tmp/perf-PID.map or jit-PID.dump, and runs it."""
import ctypes
import mmap
import os
import platform
import struct
import sys

MACHINE, CODE = {   # ELF's number; dec %rdi; jne .-3; ret. subs x0, x0, #1; b.ne .-4; ret.
    "x86_64": (62, "48ffcf 75fb c3"), "aarch64": (183, "000400f1 e1ffff54 c0035fd6"),
}[platform.machine()]
CODE = bytes.fromhex(CODE)
made = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
made.write(CODE)
address = ctypes.addressof(ctypes.c_char.from_buffer(made))
pid, name = os.getpid(), b"made::while::running"
if sys.argv[1] == "map":
    with open(f"/tmp/perf-{pid}.map", "wb") as file:
        file.write(b"%x %x %s\n" % (address, len(CODE), name))
else:  # with a record of no bytes behind it, as in a hole
    with open(f"jit-{pid}.dump", "wb") as file:
        file.write(struct.pack("<6I2Q2IQ2I4Q21s6s16x", 0x4a695444, 1, 40, MACHINE, 0, pid, 0, 0,
                               0, 83, 0, pid, pid, address, address, len(CODE), 0, name, CODE))
ctypes.CFUNCTYPE(None, ctypes.c_ulong)(address)(300000000)
