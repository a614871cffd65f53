# SPDX-License-Identifier: LGPL-2.1-or-later
"""guest.py GROUP...: runs inside the guest. It profiles programs that know nothing of
it, and says in TAP whether the result is what it must be. Profiles stay in $OUT
for the viewers on the host. CLIENTS, PROFIL and PRELOAD are paths."""
import glob
import os
import sys

import alone
import harness
import odd
import serving
import terminal
import troubles
import usual


def main():
    os.environ["LC_ALL"] = "C"
    os.chdir(harness.OUT)
    print("TAP version 13")
    for name in sys.argv[1:]:
        group = next(getattr(module, name)
                     for module in (usual, odd, serving, terminal, troubles, alone)
                     if hasattr(module, name))
        group()
    # Files of 16 GiB are not for a tar archive, even if they are empty.
    harness.remove("ready", "late", "late.out", "end", "trace", "setuid", "sudo", "full", "fuse",
                   "cgroup", "objects", "profil.out", "killed.out", "child.out", "anybody",
                   *glob.glob("*.d"), *glob.glob("*.old"))
    sys.exit(harness.finish())


main()
