#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""compare.py BUILDDIR [PROGRAM...]: profiles programs in a guest whose clock is
instructions, with profil, perf and gperftools, then holds the call trees that they
found against each other. Prints TAP. "make all" has been run. PROGRAM: sqlite3, python3,
cc1 or node. K in the environment is the kernel.

A tree's paths begin with main(), the function that libc calls first: profilers begin
at different moments before it. A function is what one entry of the call frame
information describes (see trees.py): calls that were inlined are part of the
function they are in, a function that was left by a tail call is not there, parts
that the compiler has moved away are functions of their own. Frames in the kernel are
left out: the time is that of the user function. Paths are cut off at the depth at
which the heaviest has a third of the samples at most; then whole paths are compared.
The ten heaviest of both together may differ by 3 standard deviations of the
difference of two binomial shares. Of so many, some do by chance: they are looked at
in a second profile, where they must not. Of node, whose stacks are made code and C++
in turns, only the number of frames is compared with perf's, by frame pointers."""
import collections
import glob
import math
import os
import re
import shlex
import shutil
import subprocess
import sys

import trees

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
# pylint: disable=wrong-import-position
from tap import finish, ok  # noqa: E402

SIGMAS = 3
HEAVIEST = 10
SAMPLES = 2000
ALL = 1 << 30

HERE = os.path.dirname(os.path.abspath(__file__))
BUILD = os.path.abspath(sys.argv[1])
PYTHON = os.path.realpath("/usr/bin/python3")
NODE = shutil.which("node")
SQLITE = shutil.which("sqlite3")
CC1 = subprocess.check_output(["gcc", "-print-prog-name=cc1"], text=True).strip()
PROGRAMS = {
    "sqlite3": [SQLITE, ":memory:", f".read {HERE}/work.sql"],
    "python3": [PYTHON, f"{HERE}/work.py", "90"],
    "cc1": [CC1, "-quiet", "-O2", f"{BUILD}/compare/work.i", "-o", "work.s"],
    "node": [NODE, f"{HERE}/work.js", "100"],
}

# Runs in the guest. A prime number of nanoseconds: no program is in step with it. perf
# has room (-m) for what comes before it is written. gperftools' default clock has the
# tick's resolution, this one has not: alone on its CPU, a program that does not wait
# uses all real time. Of sqlite3, the frame of main() alone is larger than 8 KiB.
PROFILE = r"""
set -e
cd "$OUT"
export LC_ALL=C PYTHONHASHSEED=0
by_perf() {
	file=$1 how=$2
	shift 2
	perf record -q -e cpu-clock -c 999983 --call-graph $how -m 8192 -o $file "$@" >/dev/null
}
program() {
	name=$1
	shift
	"$@" >expected
	profil -q -o $name.profil "$@" >output
	cmp expected output
	by_perf $name.fp fp "$@"
	[ $name != node ] || return 0
	by_perf $name.dwarf dwarf "$@"
	LD_PRELOAD=$PROFILER CPUPROFILE=$OUT/$name.gperf CPUPROFILE_FREQUENCY=1000 \
		CPUPROFILE_REALTIME=1 "$@" >/dev/null
	[ $name != sqlite3 ] || by_perf $name.dwarf32 dwarf,32768 "$@"
}
# Interrupts are as long as instructions are many: that is no reason to have fewer.
echo 0 >/proc/sys/kernel/perf_cpu_time_max_percent
"""

class Tree:
    """What a profiler found: counts of paths."""

    def __init__(self, name, stacks, program):
        self.name = name
        stacks = list(stacks)
        self.frames = sum(count * len(stack) for count, stack in stacks)
        self.counts, self.all, self.whole, self.n = trees.paths(stacks, program)

    def cut(self, depth):
        """Paths of so many functions at most."""
        counts = collections.Counter()
        for path, n in self.counts.items():
            counts[path[:depth]] += n
        return counts


class Results:
    """What the guest has left of one program."""

    def __init__(self, directory, name):
        self.prefix = os.path.join(directory, name)
        self.program = PROGRAMS[name][0]
        subprocess.run([f"{BUILD}/tools/profil", "report", "-f", "cpuprofile", "-o",
                        self.prefix + ".cpuprofile", self.prefix + ".profil"], check=True)
        self.profil = self.read("profil", trees.read_cpuprofile, self.prefix + ".cpuprofile")
        self.gperf = os.path.exists(self.prefix + ".gperf") and \
            self.read("gperftools", trees.read_cpuprofile, self.prefix + ".gperf")
        self.dwarf = self.read_perf("dwarf", 0)
        # perf's with enough of the stack.
        self.best = self.read_perf("dwarf32", 0) or self.dwarf
        self.fp = self.read_perf("fp", 1)

    def read(self, name, how, *where):
        """One profiler's."""
        return Tree(name, how(*where), self.program)

    def read_perf(self, kind, before):
        """perf unwinds stacks when it is asked for them."""
        source = f"{self.prefix}.{kind}"
        if not os.path.exists(source):
            return None
        with open(source + ".txt", "w", encoding="utf-8") as out:
            subprocess.run(["perf", "script", "--no-inline", "-F", "comm,ip,sym,dso",
                            "-i", source], check=True, stdout=out, stderr=subprocess.DEVNULL)
        return self.read(f"perf ({kind})", trees.read_perf, source + ".txt", before)

    def bytes(self):
        """A sample's bytes: ours, perf's frame pointers, perf's stacks."""
        ours = sum(map(os.path.getsize, glob.glob(self.prefix + ".profil/*.[0-9]*")))
        return (ours / self.profil.all, os.path.getsize(self.prefix + ".fp") / self.fp.all,
                os.path.getsize(self.prefix + ".dwarf") / self.dwarf.all)


def sigmas(n, of_n, m, of_m):
    """How many standard deviations two shares are apart."""
    share = (n + m) / (of_n + of_m)
    deviation = math.sqrt(share * (1 - share) * (1 / of_n + 1 / of_m))
    return (m / of_m - n / of_n) / deviation if deviation else 0


def depth_of(one, other):
    """See above."""
    deepest = max(map(len, one.counts))
    for depth in range(1, deepest):
        if max((one.cut(depth) + other.cut(depth)).values()) * 3 <= one.n + other.n:
            return depth
    return deepest


def show(path):
    """The end of it is what tells it from others."""
    return ";".join(path if len(path) < 5 else path[:1] + ("...",) + path[-3:])


def apart(one, other, depth, path):
    """Is it, in these two?"""
    here, there = one.cut(depth)[path], other.cut(depth)[path]
    distance = sigmas(here, one.n, there, other.n)
    print(f"#  {here:5} {there:5} {distance:+5.1f} {show(path)}")
    return abs(distance) > SIGMAS


def differences(name, one, other):
    """The (depth, path) of the heaviest that are too far apart, at both depths."""
    found = []
    for depth in depth_of(one, other), ALL:
        print(f"# {name}: {one.name} and {other.name}",
              "whole" if depth == ALL else f"cut off at {depth}")
        both = one.cut(depth) + other.cut(depth)
        # In the order of names where numbers are the same.
        heaviest = sorted(both, key=lambda path, both=both: (-both[path], path))
        found += [(depth, path) for path in heaviest[:HEAVIEST] if apart(one, other, depth, path)]
    return found


def check_frames(name, ours, perfs):
    """Never fewer frames than perf."""
    means = [tree.frames / tree.all for tree in (ours, perfs)]
    print(f"# {name}: {means[0]:.1f} frames a stack, {means[1]:.1f} of {perfs.name}")
    ok(min(ours.all, perfs.all) >= SAMPLES and means[0] >= means[1],
       f"{name}: there are no fewer frames than perf's")


def check(name, results):
    """All of one program, but for whose trees agree."""
    check_frames(name, results.profil, results.fp)
    if not results.gperf:
        return
    compared = [results.profil, results.gperf, results.best]
    seen = [*compared, results.dwarf, results.fp]
    for tree in dict.fromkeys(seen):
        print(f"# {name}: {tree.name}: {tree.all} stacks, {tree.whole} whole, "
              f"{tree.n} below main")
    ok(min(tree.all for tree in seen) >= SAMPLES, f"{name}: there are enough samples")
    ok(all(tree.n > 0.9 * tree.all for tree in compared), f"{name}: 90% are below main")
    ours, chain, stack = results.bytes()
    print(f"# {name}: bytes a sample: {ours:.1f}; perf with frame pointers {chain:.1f},"
          f" with stacks {stack:.1f}")
    if name == "sqlite3":
        ok(results.dwarf.n < results.dwarf.all / 20 and
           results.profil.n > results.profil.all * 0.95,
           f"{name}: 8 KiB of stack do not reach main, profil does")


def run(names, directory):
    """The results of programs that are profiled in a guest."""
    libraries = subprocess.check_output(["/sbin/ldconfig", "-p"], text=True)
    profiler = re.search(r"libprofiler\.so\.0 .*=> (\S+)", libraries)[1]
    files = (NODE, PYTHON, f"/usr/lib/{os.path.basename(PYTHON)}", SQLITE, CC1,
             shutil.which("perf"), profiler, f"{BUILD}/compare", *glob.glob(f"{HERE}/work.*"))
    script = PROFILE + "".join(f"program {name} {shlex.join(PROGRAMS[name])}\n" for name in names)
    shutil.rmtree(directory, ignore_errors=True)
    subprocess.run([f"{HERE}/../qemu/run.sh", "-k", os.environ.get("K", "6.1"), "-i",
                    "-m", "3G", "-t", "1800", "-o", directory,
                    *(word for file in files for word in ("-f", file)),
                    "-e", f"PROFILER={profiler}", "--", "/bin/sh", "-c", script], check=True)
    return {name: Results(directory, name) for name in names}


def main():
    """A path that differs by chance does not do so again; one that differs, does."""
    first = run(sys.argv[2:] or list(PROGRAMS), f"{BUILD}/compare-results")
    found = {}
    for name, results in first.items():
        check(name, results)
        for kind in ("gperf", "best") if results.gperf else ():
            found[name, kind] = differences(name, results.profil, getattr(results, kind))
    names = sorted({name for (name, _), paths in found.items() if paths})
    second = run(names, f"{BUILD}/compare-results.again") if names else {}
    for (name, kind), paths in found.items():
        other = getattr(first[name], kind)
        if paths:
            print(f"# {name}: once more, profil and {other.name}")
        ok(not any([apart(second[name].profil, getattr(second[name], kind), *path)
                    for path in paths]),
           f"{name}: the heaviest paths of profil and {other.name} agree")
    sys.exit(finish())


if __name__ == "__main__":
    main()
