# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs that do to themselves what a profile might not survive, or might spoil."""
import os
import re
import resource
import struct

from harness import (OUT, PRELOAD, PROFIL, Profile, client, execute, preloaded, profile, read,
                     remove, test, traced, write)
from usual import HOT, gprof_share


def state(path):
    """What the header says: 1 if the program has ended by exit()."""
    with open(path, "rb") as file:
        return struct.unpack_from("<I", file.read(108), 104)[0]


def early_gmon():
    with test("-pg that a library starts has the kernel's samples"):
        remove("gmon.out")
        _, trace = traced(client("hot-pg-libm"), "300", env={
            "LD_PRELOAD": PRELOAD, "PROFIL_DIRECTORY": f"{OUT}/early.d"})
        text = execute("gprof", "-b", client("hot-pg-libm"), "gmon.out")
        timers = [line for line in trace.splitlines() if "ITIMER_PROF" in line]
        assert "Each sample counts as 0.001 seconds" in text
        assert gprof_share("hot-pg-libm", "gmon.out", "three") >= 69
        assert "it_value={tv_sec=0, tv_usec=0}" in timers[-1] and "--- SIG" not in trace
    with test("and a program that it becomes does not die of a timer"):
        made = profile("early.out", client("hot-pg-libm"), "100", "exec", HOT, status=3)
        assert len(made.files()) == 2 and made.has("three")


def counters():
    """How many gmon.out has."""
    with open("gmon.out", "rb") as file:
        return struct.unpack_from("<I", file.read(41), 37)[0]


def libc_gmon():
    with test("gprof -s adds up gmon.out files of ours and of libc"):
        for program in "hot-pg", "hot-pg-nopie", "forks-pg", "hot-pg-libm":
            remove("gmon.out")
            execute(client(program), "1")
            own = counters()
            os.rename("gmon.out", "own.gmon")
            preloaded(client(program), "1", env={"PROFIL_RATE": "clock",
                                                 "PROFIL_DIRECTORY": f"{OUT}/bins.d"})
            assert own == counters(), program
            execute("gprof", "-s", client(program), "own.gmon", "gmon.out")
        remove("own.gmon", "gmon.sum")


def own_profiles():
    for kind in "shared", "static":
        with test(f"a call of another system's, {kind}, is noticed"):
            made = profile("dialect.out", client(f"dialect-{kind}"))
            assert made.whole() and made.has("before", "after")
            assert made.share(" during ") <= 5
            assert re.search(" profiles? that .* started .* not included", made.text)
        with test(f"a fork's child has the program's own profile too ({kind})"):
            found = dict(re.findall(r"^(\w+): (\d+)", made.out.decode(), re.M))
            assert int(found["parent"]) > 4 and int(found["child"]) > 4, found
    with test("a program's own pcsample() counts only its own"):
        text = preloaded(client("own"), "pcsample", env={"PROFIL_DIRECTORY": f"{OUT}/self.d"})
        assert int(re.search(r"^0 before, (\d+) samples$", text, re.M)[1]) > 20
    with test("a program's own profil() is the kernel's"):
        text = preloaded(client("own"), "profil", env={"PROFIL_DIRECTORY": f"{OUT}/self.d"})
        assert re.search("^[1-9][0-9]* samples 0 signals$", text, re.M)
    with test("a thread's own profile takes only its ticks from ours"):
        made = profile("own.out", client("own"), "thread")
        assert made.whole() and made.has("before", "after", least=40)
        assert made.share(" during ") <= 1
    with test("a 32-bit program has stacks with its own library"):
        for room in "301", "302", "":
            execute(client("hot-32"), "100", env={"PROFIL_DIRECTORY": f"narrow{room}.out",
                "PROFIL_SAMPLES": room, "LD_PRELOAD": client("../m32/lib/libprofil-preload.so")})
            made = Profile(f"narrow{room}.out")
            assert made.has("three", "one") and "damaged" not in made.text
        assert made.whole()
        made.stacks_of("a 32-bit program", 990, 30)


def odd_forks():
    with test("a child of _Fork() has a file, clone() ends no parent's"):
        made = profile("bareforks.out", client("odd"), "bare", status=137)
        assert made.has("before", "after", "in_child")
        assert made.share(" in_child ") <= 45
        assert sorted(map(state, made.files())) == [0, 1]
    with test("a fork in a signal handler needs no more stack, nor the linker"):
        for how in "-q", "--no-stacks":
            made = profile("handler.out", how, "timeout", "100", client("odd"), "handler", status=7)
            assert len(made.files("odd")) == 2
    with test("a fork's child exits though its linker was locked"):
        made = profile("dlfork.out", "timeout", "100", client("odd"), "linker", status=7)
        assert state(sorted(made.files("odd"))[1]) == 1
        assert len(made.files("odd")) == 2


def odd_names():
    with test("of too long a command line, the beginning is kept"):
        profile("long.out", "perl", "-e", "$i++ while $i < 1e6", *map(str, range(1000, 3001)))
        page = execute(PROFIL, "report", "--html", "long.out")
        assert re.search('"name":"perl -e .* 1000 1001 .* 1700 ', page)
    with test("a program and its child that set their titles keep names"):
        made = profile("title.out", client("odd"), "title")
        assert made.whole() and made.has("after", "in_child")
        assert len(made.files("odd.")) == 2
        assert len(re.findall(r"  a/\.\./title: .*work", made.text)) == 2
    with test("whatever its name, a program's file can be handled"):
        for name in "", "-", "-n", ".hidden", "..", "a/", "a/b/", "a\n\033[2Jb":
            made = profile("name.out", client("odd"), "title", name)
            names = [os.path.basename(path) for path in made.files()]
            assert len(names) == 3, names
            assert all(re.fullmatch(r"[a-zA-Z_][a-zA-Z0-9_.\[]*", one) for one in names)
    with test("ld.so PROGRAM is a profile of the program"):
        made = profile("lds.out", "/lib64/ld-linux-x86-64.so.2", HOT, "40")
        assert made.has("three") and len(made.files("hot")) == 1
        assert b"statically" not in made.err


def odd_memory():
    def memory(kind, *functions, **options):
        made = profile("memory.out", client("memory"), kind, status=5, **options)
        assert made.has(*functions), kind
        return made

    def memory_of_nobody(*arguments):
        remove("memory.out")
        os.mkdir("memory.out")
        os.chmod("memory.out", 0o777)
        return memory(*arguments)

    with test("mlockall() locks the program, and not its profile"):
        made = memory("locks", "before", "work")
        fit = made.fit()
        assert made.whole() and len(made.files()) == 2
        assert int(re.search(rb"(\d+) kB locked", made.out)[1]) < 100000
        assert fit.in_records(90) and fit.whole(90)
    with test("two threads call mlockall() at the same time"):
        assert memory("both", "before", "work").whole()
    with test("mlockall() works with a limit that it works with alone"):
        assert memory_of_nobody("limited", "before", "work").whole()
    with test("a profile that can be neither stopped nor covered ends"):
        made = memory_of_nobody("ends", "before")
        fit = made.fit(100)
        assert made.out == b"0 unmapped\n" and b"is incomplete" in made.err
    with test("and a fork child has stacks"):
        assert len(made.files()) == 2 and fit.good and fit.whole(90)
    with test("an mlockall() that fails leaves the profile as it was"):
        assert memory("refused", "before", "work").whole()
    with test("mlockall() without a free descriptor ends the profile, which says so"):
        made = memory("full", "before")
        assert not made.has("work") and b"of memory is incomplete" in made.err
        assert len(made.files()) == 2 and made.fit(100).whole(90)
    with test("a profile that a program starts during mlockall() is its own"):
        assert not memory("handled", "before").has("work")
    with test("a program that limits its address space keeps all"):
        made = memory("space", "before", "work", limit=(resource.RLIMIT_AS, 100 << 30))
        fit = made.fit()
        assert made.whole() and fit.in_records(90) and fit.whole(90)
    with test("a program that unmaps the page lives"):
        assert memory("unmaps", "before").out == b"1 unmapped\n"
    with test("a program that unmaps its profile lives"):
        assert memory("unmaps-all", "before").out.endswith(b"1 unmapped\n")
    with test("its child has stacks of its own"):
        made = memory("unmaps-forks")
        fit = made.fit(100)
        assert len(made.files()) == 3 and fit.good and fit.whole(90)
    with test("a program with gcc's address sanitizer starts"):
        made = profile("asan.out", client("hot-asan"), "20")
        assert made.has("three") and made.err == b""
    with test("errno is what it would be"):
        profile("errno.out", client("odd"), "errno")
    with test("without overcommitting memory there are profiles"):
        write("/proc/sys/vm/overcommit_memory", "2")
        made = profile("strict.out", client("forks"), "2")
        write("/proc/sys/vm/overcommit_memory", "0")
        assert made.whole() and made.has("serve") and len(made.files()) == 3


def valgrind():
    for tool, name, word in ("memcheck", "churn", "4"), ("helgrind", "odd", "errno"):
        with test(f"valgrind's {tool} finds no error"):
            made = profile("tool.out", "valgrind.bin", "-q", f"--tool={tool}",
                           "--error-exitcode=9", client(name), word)
            assert made.samples > 0 and made.files(name)


def odd_programs():
    early_gmon()
    libc_gmon()
    own_profiles()
    odd_forks()
    odd_names()
    odd_memory()
    valgrind()
