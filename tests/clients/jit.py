# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes code, says so in /tmp/perf-PID.map, and runs it: a loop that counts its
argument down."""
import ctypes
import mmap
import os

CODE = bytes.fromhex("48ffcf 75fb c3")  # dec %rdi; jne .-3; ret

made = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
made.write(CODE)
address = ctypes.addressof(ctypes.c_char.from_buffer(made))
with open(f"/tmp/perf-{os.getpid()}.map", "w", encoding="ascii") as file:
    file.write(f"{address:x} {len(CODE)} made::while::running\n")
ctypes.CFUNCTYPE(None, ctypes.c_ulong)(address)(300000000)
