#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""waits.py BUILDDIR: profiles a program that waits in a guest whose clock is instructions,
with profil -w and at the same time with perf, as root, which records each switch of the
scheduler with its stack. The same waits must have the same lengths in both. Prints TAP."""
import collections
import glob
import os
import re
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, ".."))
# pylint: disable=wrong-import-position
from tap import finish, ok  # noqa: E402

BUILD = os.path.abspath(sys.argv[1])
PROGRAM = f"{BUILD}/compare/waits"
FUNCTIONS = "rest", "receive", "take", "write_all", "hold_all"

# A buffer that has room for what comes while perf waits for its disk.
PROFILE = r"""
cd "$OUT"
perf record -q -a -e sched:sched_switch --call-graph dwarf -m 16384 -o waits.perf \
	profil -q -w -o waits.profil "$PROGRAM"
"""


def run(directory):
    shutil.rmtree(directory, ignore_errors=True)
    subprocess.run([f"{HERE}/../qemu/run.sh", "-k", os.environ.get("K", "6.1"), "-i", "-m", "3G",
                    "-t", "600", "-o", directory, "-f", shutil.which("perf"), "-f", PROGRAM,
                    "-e", f"PROGRAM={PROGRAM}", "--", "/bin/sh", "-c", PROFILE], check=True)


def events(path):
    """Of each switch: time in ms, who leaves and in what state, who comes, and the stack."""
    text = subprocess.run(["perf", "script", "--no-inline", "-F", "time,event,trace,ip,sym",
                           "-i", path], check=True, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, text=True).stdout
    for block in text.split("\n\n"):
        found = re.search(r"(\d+\.\d+):.*prev_pid=(\d+) .*prev_state=(\S+) .*next_pid=(\d+)", block)
        if found:
            names = re.findall(r"^\s*[0-9a-f]+ (\w+)", block, re.M)
            yield 1000 * float(found[1]), int(found[2]), found[3], int(found[4]), names


def waits_of_perf(path):
    """The lengths of the waits in each function, in ms."""
    lengths, since = collections.defaultdict(list), {}
    for time, leaves, state, comes, names in events(path):
        inside = [name for name in names if name in FUNCTIONS]
        if inside and not state.startswith("R"):
            since[leaves] = (time, inside[0])
        if comes in since:
            begun, function = since.pop(comes)
            lengths[function].append(time - begun)
    return lengths


def waits_of_profil(path):
    """The samples of waits in each function, one for each ms."""
    folded = subprocess.run([f"{BUILD}/tools/profil", "report", "--waits", "-f", "folded", path],
                            check=True, stdout=subprocess.PIPE, text=True).stdout
    samples = collections.Counter()
    for line in folded.splitlines():
        stack, number = line.rsplit(" ", 1)
        for function in set(stack.split(";")).intersection(FUNCTIONS):
            if "[runnable]" not in stack:
                samples[function] += int(number)
    return samples


def main():
    directory = f"{BUILD}/compare-waits"
    run(directory)
    perf = waits_of_perf(f"{directory}/waits.perf")
    ours = waits_of_profil(f"{directory}/waits.profil")
    for function in FUNCTIONS:
        lengths = perf[function]
        # A wait has a sample more with the probability that is the rest of its length.
        sigma = sum(ms % 1 * (1 - ms % 1) for ms in lengths) ** 0.5
        print(f"# {function}: {len(lengths)} waits, perf {sum(lengths):.1f} ms,"
              f" profil {ours[function]}, sigma {sigma:.1f}")
        ok(len(lengths) >= 250 and abs(sum(lengths) - ours[function]) <= 3 * sigma,
           f"perf and profil agree on how long {function}() waits")
    size = sum(os.path.getsize(path) for path in glob.glob(f"{directory}/waits.profil/*"))
    print(f"# bytes: profil {size}, perf {os.path.getsize(f'{directory}/waits.perf')}")
    sys.exit(finish())


if __name__ == "__main__":
    main()
