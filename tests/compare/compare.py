#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""compare.py BUILDDIR NAME=PROGRAM... -- RESULTS [AGAIN]

Holds the call trees that profilers found against each other. Prints TAP, and
"# again: NAME..." of what was out of bounds in RESULTS and is not in AGAIN.

A tree's paths begin with main(), the function that libc calls first: profilers begin
at different moments before it. A function is what one entry of the call frame
information describes (see trees.py): calls that were inlined are part of the
function they are in, a function that was left by a tail call is not there, parts
that the compiler has moved away are functions of their own. Frames in the kernel are
left out: the time is that of the user function. Paths are cut off at the depth at
which the heaviest has a third of the samples at most; then whole paths are compared.
The ten heaviest of both together may differ by 3 standard deviations of the
difference of two binomial shares. Of so many, some do by chance: they are looked at
in a second profile, where they must not."""
import collections
import glob
import math
import os
import struct
import subprocess
import sys

import trees

SIGMAS = 3
HEAVIEST = 10
SAMPLES = 2000

# Where perf's default of 8 KiB of stack is not enough, and what follows from it.
# Of these programs, 32 KiB have to agree.
#   sqlite3: the frame of its main() alone is larger: no path reaches it.
#   templates: below main(), libc's conversion of numbers has 8 KiB of its own.
SHORT = {
    "sqlite3": None,
    "templates": "__printf_fp_l",
}

TESTS = []


def test(good, name):
    """One line of TAP."""
    TESTS.append(good)
    print(f"{'ok' if good else 'not ok'} {len(TESTS)} - {name}")
    return good


class Tree:
    """What a profiler found: counts of paths."""

    def __init__(self, name, stacks, program):
        self.name = name
        self.counts, self.all, self.whole, self.n = trees.paths(stacks, program)

    def cut(self, depth):
        """Paths of so many functions at most."""
        counts = collections.Counter()
        for path, n in self.counts.items():
            counts[path[:depth]] += n
        return counts

    def through(self, function):
        """Samples of paths with that function."""
        return sum(n for path, n in self.counts.items() if function in path)

    def __str__(self):
        return f"{self.name}: {self.all} stacks, {self.whole} whole, {self.n} below main"


def sigmas(n, of_n, m, of_m):
    """How many standard deviations two shares are apart."""
    share = (n + m) / (of_n + of_m)
    deviation = math.sqrt(share * (1 - share) * (1 / of_n + 1 / of_m))
    return (m / of_m - n / of_n) / deviation if deviation else 0


def depth_of(one, other):
    """See above."""
    deepest = max(map(len, one.counts))
    for depth in range(1, deepest):
        counts = one.cut(depth) + other.cut(depth)
        if max(counts.values()) * 3 <= one.n + other.n:
            return depth
    return deepest


def show(path):
    """The end of it is what tells it from others."""
    names = [name.split("(")[0][-40:] for name in path]
    return ";".join(names if len(names) < 5 else names[:1] + ["..."] + names[-3:])


def differences(one, other, depth):
    """[(path, sigmas, counts)] of the heaviest paths."""
    here, there = one.cut(depth), other.cut(depth)
    both = here + there
    # In the order of names where numbers are the same.
    heaviest = sorted(both, key=lambda path: (-both[path], path))[:HEAVIEST]
    return {path: (sigmas(here[path], one.n, there[path], other.n),
                   here[path], there[path]) for path in heaviest}


def agree(name, one, other, again):
    """Do they, at both depths? AGAIN: the same two once more, or None."""
    good = True
    depth = depth_of(one, other)
    for which, deep in (f"cut off at {depth}", depth), ("whole", 1 << 30):
        found = differences(one, other, deep)
        worst = max((abs(d) for d, _, _ in found.values()), default=0)
        print(f"# {name}: {one.name} and {other.name}, {which}: at most {worst:.1f} sigma")
        out = 0
        for path, (apart, n, m) in found.items():
            mark = " " if abs(apart) <= SIGMAS else "!"
            print(f"#{mark} {n:5} {m:5} {apart:+5.1f} {show(path)}")
            if abs(apart) <= SIGMAS:
                continue
            out += 1
            if not again:
                continue
            here, there = (tree.cut(deep)[path] for tree in again)
            apart = sigmas(here, again[0].n, there, again[1].n)
            print(f"#  once more: {here:5} {there:5} {apart:+5.1f}")
            out -= abs(apart) <= SIGMAS
        good &= not out
    whole = all(tree.n > 0.9 * tree.all for tree in (one, other))
    return test(good and whole,
                f"{name}: the heaviest paths of {one.name} and {other.name} agree")


class Results:
    """What the guest has left of one program."""

    def __init__(self, build, directory, name, program):
        self.prefix = os.path.join(directory, name)
        self.build, self.program = build, program
        self.profil = self.read("profil", trees.read_cpuprofile, self.report("cpuprofile"))
        self.gperf = self.read("gperftools", trees.read_cpuprofile, self.prefix + ".gperf")
        self.dwarf = self.read_perf("dwarf", "perf (dwarf)", 0)
        self.dwarf32 = self.read_perf("dwarf32", "perf (dwarf,32768)", 0)
        self.fp = self.read_perf("fp", "perf (fp)", 1)

    def read(self, name, how, *where):
        """One profiler's."""
        return Tree(name, how(*where), self.program)

    def report(self, form):
        """The path of profil's, in a format."""
        output = f"{self.prefix}.{form}"
        subprocess.run([f"{self.build}/tools/profil", "report", "-f", form, "-o", output,
                        self.prefix + ".profil"], check=True)
        return output

    def read_perf(self, kind, name, before):
        """perf unwinds stacks when it is asked for them."""
        source = f"{self.prefix}.{kind}"
        if not os.path.exists(source):
            return None
        with open(source + ".txt", "w", encoding="utf-8") as out:
            subprocess.run(["perf", "script", "--no-inline", "-F", "comm,ip,sym,dso",
                            "-i", source], check=True, stdout=out,
                           stderr=subprocess.DEVNULL)
        return self.read(name, trees.read_perf, source + ".txt", before)

    def best(self):
        """perf's with enough of the stack."""
        return self.dwarf32 or self.dwarf

    def bytes(self):
        """A sample's bytes: ours, perf's frame pointers, perf's stacks."""
        ours = 0
        for path in glob.glob(self.prefix + ".profil/*"):
            with open(path, "rb") as file:
                header = file.read(208)
            ours += struct.unpack_from("<Q", header, 168)[0]
        return (ours / self.profil.all + 8,
                os.path.getsize(self.prefix + ".fp") / self.fp.all,
                os.path.getsize(self.prefix + ".dwarf") / self.dwarf.all)


def compare_short(name, results):
    """What perf's 8 KiB do not show, and that this is still so."""
    ours, theirs, function = results.profil, results.dwarf, SHORT[name]
    if function is None:
        test(theirs.n < theirs.all / 20 and ours.n > ours.all * 0.95,
             f"{name}: 8 KiB of stack do not reach main")
    else:
        here, there = ours.through(function), theirs.through(function)
        print(f"# {name}: {here} of {ours.n} through {function}, {there} of {theirs.n}")
        test(there * 4 < here and theirs.all - theirs.whole > here / 2 and
             theirs.n > theirs.all * 0.8,
             f"{name}: 8 KiB of stack do not reach from {function} to main")


def compare(name, results, again):
    """All of one program; again: its second results, or None."""
    seen = [results.profil, results.gperf, results.best(), results.dwarf, results.fp]
    for tree in dict.fromkeys(seen):
        print(f"# {name}: {tree}")
    test(min(tree.all for tree in seen) >= SAMPLES, f"{name}: there are enough samples")
    test(results.profil.whole >= 0.995 * results.profil.all,
         f"{name}: 99.5% of profil's stacks are complete")
    ours, chain, stack = results.bytes()
    print(f"# {name}: bytes a sample: {ours:.1f}; perf with frame pointers {chain:.1f},"
          f" with stacks {stack:.1f}")
    test(ours < chain and ours < stack, f"{name}: profil writes fewer bytes a sample")
    with open(results.report("folded"), encoding="utf-8") as file:
        folded = sum(int(line.rsplit(None, 1)[1]) for line in file
                     if ";__libc_start_call_main;" in line)
    # Before and after main(), libc calls functions of its own.
    test(results.profil.n <= folded <= results.profil.whole,
         f"{name}: folded stacks are the same")
    good = True
    for which in (lambda r: r.gperf), Results.best:
        good &= agree(name, results.profil, which(results),
                      again and (again.profil, which(again)))
    if name in SHORT:
        compare_short(name, results)
    return good


def main():
    """See above."""
    arguments = sys.argv[1:]
    split = arguments.index("--")
    build, programs = arguments[0], dict(one.split("=", 1) for one in arguments[1:split])
    first, second = (arguments[split + 1:] + [None])[:2]
    again = []
    for name, program in programs.items():
        if not os.path.isdir(f"{first}/{name}.profil"):
            continue
        repeated = None
        if second and os.path.isdir(f"{second}/{name}.profil"):
            repeated = Results(build, second, name, program)
        if not compare(name, Results(build, first, name, program), repeated):
            again.append(name)
    print(f"1..{len(TESTS)}")
    if again and not second:
        print(f"# again: {' '.join(again)}")
    sys.exit(0 if all(TESTS) else 1)


if __name__ == "__main__":
    main()
