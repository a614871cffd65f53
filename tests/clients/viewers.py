# SPDX-License-Identifier: LGPL-2.1-or-later
"""viewers.py [foreign]: opens the profiles that run.sh brought back to $OUT with the programs
that people look at them with. CLIENTS, PROFIL and PRELOAD are paths, as in the guest. What
is foreign was profiled on another machine: only names that are kept can be shown.

All viewers must name the same functions as the hottest ones, in the same order, of
two profiles: a program of our own, and perl."""
import os
import re
import shutil
import sys
import tempfile

import page_tests
from page_tests import pages
from harness import OUT, PROFIL, client, execute, finish, read, test

HOT = client("hot")


def report(name, form, *options):
    """The path of a profile in a format."""
    path = f"{name}.{form}"
    execute(PROFIL, "report", "-f", form, "-o", path, *options, f"{OUT}/{name}.out")
    return path


def callgrind(text):
    """callgrind_annotate's."""
    return re.findall(r"^ *[\d,]+ \( *([\d.]+)%\) +[^ ]*?:([^\n]+?)(?: \[.*)?$", text, re.M)


def pprof(text, column=1):
    """The -top of both pprofs; of column 3, shares with what functions have called."""
    rows = re.findall(r"^ *[\d.]+\S* +([\d.]+)% +[\d.]+% +[\d.]+\S* +([\d.]+)% +(\S+)", text, re.M)
    return [(row[column // 2], row[2]) for row in rows]


def two(rows):
    return [name for _, name in rows[:2]]


def compare(name):
    table = execute(PROFIL, "report", "-n", "0", f"{OUT}/{name}.out")
    hottest = re.findall(r"^ *[\d.]+% +\d+ +[\d.]+ +[\d.]+% +(\S+)", table, re.M)[:2]
    with test(f"the text report of {name} has two functions"):
        assert len(hottest) == 2
    with test(f"go tool pprof of {name} has them"):
        text = execute("go", "tool", "pprof", "-top", report(name, "pprof"))
        assert two(pprof(text)) == hottest
    with test(f"callgrind_annotate of {name} has them"):
        text = execute("callgrind_annotate", "--auto=no", report(name, "callgrind"))
        assert two(callgrind(text)) == hottest


def google():
    """google-pprof takes names from the program itself, and has no others: of perl,
    which is stripped, it can only be asked for the number of samples."""
    with test("google-pprof of exit has them"):
        text = execute("google-pprof", "--text", HOT, report("exit", "cpuprofile"))
        assert two(pprof(text)) == ["three", "one"]
    with test("google-pprof of perl has all samples"):
        perl = shutil.which("perl")
        text = execute("google-pprof", "--text", perl, report("perl", "cpuprofile"))
        samples = re.search(r"^(\d+) samples,", execute(PROFIL, "report",
                                                        f"{OUT}/perl.out"), re.M)[1]
        assert f"Total: {samples} samples" in text


def stacks():
    """Functions of a program as if _start() had called main(), and so on."""
    symbols = {line.split()[-1]: int(line.split()[0], 16)
               for line in execute("nm", HOT).splitlines() if len(line.split()) == 3}
    os.makedirs(f"{OUT}/few.out", exist_ok=True)
    pages.few_stacks(f"{OUT}/few.out/few.4711", HOT, bias=0x555500000000, functions=[
        symbols[name] + 4 for name in ("_start", "main", "three", "one")])
    due = {"_start": 80, "main": 50, "three": 70, "one": 30}
    with test("go tool pprof knows what functions have called"):
        path = report("few", "pprof")
        rows = pprof(execute("go", "tool", "pprof", "-top", "-cum", path), 3)
        assert {name: float(share) for share, name in rows} == {**due, "[read]": 30}
    with test("and who called whom"):
        text = re.sub(" +", " ", execute("go", "tool", "pprof", "-peek", "^main$", path))
        assert "\n 50ms 100% | _start\n" in text and "\n 50ms 100% | three\n" in text
    inclusive = ("callgrind_annotate", "--auto=no", "--inclusive=yes", "--threshold=100",
                 report("few", "callgrind"))
    with test("callgrind_annotate knows what functions have called"):
        rows = {name: float(share) for share, name in callgrind(execute(*inclusive))}
        assert {name: rows.get(name) for name in [*due, "[read]"]} == {**due, "[read]": 30}
    with test("and it knows who called whom, too"):
        text = execute(*inclusive[:-1], "--tree=both", inclusive[-1])
        assert re.search(r"< .*:_start \(50x\)", text)
        assert re.search(r"> .*:three \(50x\)", text)
    with test("google-pprof knows what functions have called"):
        text = execute("google-pprof", "--text", "--cum", HOT, report("few", "cpuprofile"))
        assert {name: float(share) for share, name in pprof(text, 3)} == due


def gprof():
    for name, program, path in (("exit", HOT, report("exit", "gmon")),
                                ("hot-pg", client("hot-pg"), f"{OUT}/hot-pg.gmon")):
        with test(f"gprof of {name} has them"):
            rows = re.findall(r"^ *(\d[\d.]*) .* (\S+)$",
                              execute("gprof", "-b", "-p", program, path), re.M)
            assert two(rows) == ["three", "one"]


def page():
    with test("the page has its source, and needs nothing else"):
        text = read(report("exit", "html"))
        assert not re.search("(src|href)=", text)
        assert '"name":"three"' in text and "WORK(three)" in text
    page_tests.run()


def main():
    print("TAP version 13")
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        compare("exit")
        compare("perl")
        for check in () if "foreign" in sys.argv else (gprof, google, stacks, page):
            check()
        os.chdir("/")
    sys.exit(finish())


main()
