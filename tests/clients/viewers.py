# SPDX-License-Identifier: LGPL-2.1-or-later
"""viewers.py: opens the profiles that run.sh brought back to $OUT with the programs
that people look at them with. CLIENTS, PROFIL and PRELOAD are paths, as in the guest.

All viewers must name the same functions as the hottest ones, in the same order, of
two profiles: a program of our own, and perl."""
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

import page_tests
from page_tests import pages
from harness import CLIENTS, OUT, PROFIL, client, execute, finish, read, test

HERE = os.path.dirname(os.path.abspath(__file__))
HOT = client("hot")


def report(name, form, *options):
    """The path of a profile in a format."""
    path = f"{name}.{form}"
    execute(PROFIL, "report", "-f", form, "-o", path, *options, f"{OUT}/{name}.out")
    return path


# --- what viewers say: their lines as (share, function) ----------------------------------

def callgrind(text):
    """callgrind_annotate's."""
    return re.findall(r"^ *[\d,]+ \( *([\d.]+)%\) +[^ ]*?:([^\n]+?)(?: \[.*)?$", text, re.M)


def pprof(text, column=1):
    """The -top of both pprofs; of column 3, shares with what functions have called."""
    rows = re.findall(r"^ *[\d.]+\S* +([\d.]+)% +[\d.]+% +[\d.]+\S* +([\d.]+)% +(\S+)",
                      text, re.M)
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


def annotated():
    with test("annotate shows source with the loop at the top"):
        text = execute(PROFIL, "annotate", f"{OUT}/exit.out", "three")
        assert float(re.search(r"^ *([\d.]+)%.*sink \+= i;", text, re.M)[1]) > 30


# --- debug information somewhere else -----------------------------------------------

def hottest_row(env=None, of="nameless"):
    """The first row of the table, from below "root"; and what else is said."""
    text = execute(PROFIL, "report", f"--root={os.getcwd()}/root", of, env=env)
    return re.search("^.*%.*$", text, re.M)[0], text


def ask_server(found):
    """A debuginfod server of our own."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    build_id = re.search(r"Build ID: (\S+)", execute("readelf", "-n", HOT))[1]
    with open("debuginfod.log", "wb") as log, \
            subprocess.Popen(["debuginfod", "-p", str(port), "-F", "store"], stdout=log,
                             stderr=log, env={**os.environ, "DEBUGINFOD_DATABASE":
                                              os.path.abspath("database")}) as server:
        try:
            # The time is only to end somewhere.
            for _ in range(600):
                try:
                    urllib.request.urlopen(f"{url}/buildid/{build_id}/debuginfo").close()
                    break
                except (OSError, urllib.error.URLError):
                    time.sleep(0.2)
            row, _ = hottest_row({"DEBUGINFOD_URLS": url, "DEBUGINFOD_CACHE_PATH":
                                  os.path.abspath("cache")})
            assert re.search(found, row), row
        finally:
            server.terminate()


def debug_files():
    root = f"root{CLIENTS}"
    # The line in the loop, or that of its head.
    lines = read(f"{HERE}/hot.c").splitlines()
    loop = next(i for i, line in enumerate(lines, 1) if "sink += i;" in line)
    found = rf" three  *hot  *hot.c:({loop - 1}|{loop})$"
    stripped = r" hot\+0x[0-9a-f]*  *hot  *0x"
    os.makedirs(f"{root}/.debug")
    os.mkdir("store")
    execute("objcopy", "--only-keep-debug", HOT, "store/hot.debug")
    execute("objcopy", "--strip-all", "--add-gnu-debuglink=store/hot.debug", HOT,
            f"{root}/hot")
    shutil.copytree(f"{OUT}/exit.out", "nameless",
                    ignore=shutil.ignore_patterns("profil.names"))
    with test("a stripped program's functions have its addresses"):
        assert re.search(stripped, hottest_row()[0])
    with test("or the names that were kept when it was profiled"):
        assert re.search(found, hottest_row(of=f"{OUT}/exit.out")[0])
    with test("a debug file beside the program is found"):
        shutil.copy("store/hot.debug", f"{root}/.debug")
        assert re.search(found, hottest_row()[0])
        os.remove(f"{root}/.debug/hot.debug")
    with test("a debuginfod server is asked"):
        ask_server(found)
    with test("a program that is not the one that ran is not asked"):
        shutil.copy(client("forks"), f"{root}/hot")
        row, text = hottest_row()
        assert re.search(stripped, row) and "/hot: not the file that was profiled: no names" in text
        os.remove(f"{root}/hot")
    with test("nor is one that is gone"):
        assert re.search(stripped, hottest_row()[0])


def page():
    with test("the page has its source, and needs nothing else"):
        text = read(report("exit", "html"))
        assert not re.search("(src|href)=", text)
        assert '"name":"three"' in text and "sink += i;" in text
    page_tests.run()


def main():
    print("TAP version 13")
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        compare("exit")
        compare("perl")
        gprof()
        google()
        stacks()
        annotated()
        debug_files()
        page()
        os.chdir("/")
    sys.exit(finish())


main()
