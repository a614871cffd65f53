# SPDX-License-Identifier: LGPL-2.1-or-later
"""What people profile, and what they get: programs of Debian, and ways to end."""
import contextlib
import glob
import gzip
import os
import re
import resource
import signal
import struct
import time

from harness import (OUT, PRELOAD, PROFIL, Profile, client, execute, leave_room,
                     mounted, pids_of, preloaded, profile, read, remove, start,
                     start_ready, status_of, test, traced, write)

DATA = os.environ["DATA"]
HOT = client("hot")


# --- programs from Debian -------------------------------------------------------

def perl():
    made = profile("perl.out", "perl", client("words.pl"), DATA)
    # How much of it is in libc depends on the machine.
    assert made.whole() and made.share(r" (perl|libc\.so\.6) ") >= 95
    assert made.share(" perl ") >= 60 and made.share("Perl_") >= 20
    assert made.out.decode().rstrip("\n") == os.environ["WORDS"]
    return made


def debian():
    with test("perl counting words is in perl, by name"):
        deep = {"perl": perl()}
    python = os.environ["PYTHON"]
    with test("python3 hashing is in libcrypto and its own modules"):
        made = profile("python.out", python, client("hash.py"), DATA)
        # CPUs of arm64 have instructions for hashes.
        least = 40 if os.uname().machine == "aarch64" else 50
        assert made.whole() and made.share(" libcrypto.so.3 ") >= least
        assert re.search(r" _codecs_jp.*\.so ", made.text)
        assert made.commands()[0] == os.path.basename(python)
        deep["python3"] = made
    with test("sqlite3 joining tables is in libsqlite3"):
        made = profile("sqlite.out", "sqlite3", ":memory:", ".read " + client("table.sql"),
                       env={"GLIBC_TUNABLES": "glibc.mem.tagging=3"})  # MTE, on arm64
        assert made.whole() and made.share(" libsqlite3.so.0 ") >= 60
        assert made.out.decode().rstrip("\n") == os.environ["ROWS"]
        deep["sqlite3"] = made
    for name in deep:
        with test(f"{name}'s stacks are complete, in 30 bytes a record"):
            deep[name].stacks_of(name, 995, 30)
    with test("cyclictest locks its memory, and has a profile"):
        made = profile("cyclictest.out", "cyclictest", "-m", "-q", "-p", "80", "-l",
                       "200", "-i", "1000")
        assert made.whole() and len(made.files()) == 1


def threads():
    """On several CPUs, with work enough to make little of starting threads."""
    with test("pigz with 4 threads is in its compressor"):
        made = profile("pigz.out", "pigz", "-9", "-p", "4", "-c", *3 * [DATA])
        assert made.whole() and made.share(" (pigz|libz.so.1) ") >= 70
        with open(DATA, "rb") as file:
            assert gzip.decompress(made.out) == 3 * file.read()
    # A CPU that a busy machine stops anywhere has its ticks there: in a walk, too.
    with test("the stacks of pigz's 4 threads are complete"):
        made.stacks_of("pigz", 980, 60)
    with test("perl's stacks are complete where there are other CPUs"):
        perl().stacks_of("perl", 990, 30)


# --- forks and ends ---------------------------------------------------------------

def forks():
    with test("make building a project is in cc1, all have files"):
        made = profile("make.out", "make", "-s", "-j2", "-C", client("project"), f"O={OUT}/objects")
        assert made.whole() and os.stat("objects/all.o").st_size
        assert made.commands()[0] == "cc1"
        assert made.number(r" in (\d+) process") >= 8
    with test("cc1's stacks are complete, in 30 bytes a record"):
        made.stacks_of("cc1", 995, 30, "cc1.")
    with test("a shell's programs each have a file"):
        made = profile("shell.out", "dash", "-c", f"{HOT} 20; (exec {HOT} 20) & wait")
        assert made.commands()[0] == "hot" and len(made.files("hot")) == 2
    with test("a forking server and its children have stacks of their own"):
        made = profile("forks.out", client("forks"), "4", client("true"))
        fit = made.fit()
        assert made.whole() and fit.whole(95) and fit.text.count(" 1 resets") >= 5
        assert len(made.files("forks")) == 5 and len(made.files("true")) == 4
        # They are 1 to 3, beside vforks.
        assert made.share(" serve ") >= 60 and made.share(" accept_request ") >= 15
    with test("a program's phases are selected, and those of its children"):
        for phase, *functions in (("serving", "serve", "accept_request"),
                                  ("accepting", "accept_request", "serve")):
            text = execute(PROFIL, "report", f"--phase={phase}", "forks.out")
            assert f" {functions[0]} " in text and f" {functions[1]} " not in text
        assert sorted(read(path).count("accepting\0") for path in made.files("forks")) == \
            [1, 1, 1, 1, 4]
    with test("without children, there is one file"):
        made = profile("alone.out", "-C", client("forks"), "4")
        assert made.share(" serve ") <= 5 and len(made.files()) == 1
    with test("a child without its parent's memory of the file is counted"):
        made = profile("unshared.out", "strace", "-o", "/dev/null", "-e",
                       "inject=madvise:error=ENOMEM:when=3+", "dash", "-c", "(exit 7); exit 7", status=7)
        assert "1 process could not create a file: Cannot allocate memory" in made.text


def ends():
    with test("three() has three times the samples of one(), with stacks"):
        made = profile("exit.out", HOT, "200")
        fit = made.fit()
        assert made.whole() and 69 <= made.share(" three ") <= 81
        assert fit.whole(98) and fit.in_records(98)
    for end, status in ("_exit", 3), ("abort", 134), ("segv", 139):
        with test(f"{end} is passed on as status {status}, with a profile"):
            made = profile("end.out", HOT, "40", end, status=status)
            assert made.share(" three ") >= 60
    with test("kill -9 loses nothing, and nothing unknown is said"):
        process = start_ready("kill.out", HOT, "40", "wait")
        os.kill(pids_of("hot")[0], signal.SIGKILL)
        assert status_of(process) == 137
        made = Profile("kill.out")
        assert made.share(" three ") >= 60 and made.whole()
        assert not re.search(r"process\(es\)$|lost:", made.text, re.M)
    oom()
    with test("a signal to profil reaches the command"):
        process = start_ready("term.out", HOT, "40", "wait")
        process.terminate()
        assert status_of(process) == 143
        assert Profile("term.out").share(" three ") >= 60


def oom():
    """More memory than the cgroup may have. The kernel's alarm on the console is meant."""
    quiet, job = "/sys/module/printk/parameters/ignore_loglevel", "cgroup/job"
    with test("what the OOM killer ends has all of its ticks"), \
            mounted("cgroup", "-t cgroup2 cgroup2"):
        write("cgroup/cgroup.subtree_control", "+memory")
        os.mkdir(job)
        write(f"{job}/memory.max", "16M")
        write(quiet, "N")
        execute("dmesg", "-n", "1")
        made = profile("oom.out", "-r", "tick", "dash", "-c",
                       f'echo $$ >{job}/cgroup.procs && exec "$@"', "dash", HOT, "100",
                       "memory", status=137)
        write(quiet, "Y")
        events, usage = read(f"{job}/memory.events"), read(f"{job}/cpu.stat")
        os.rmdir(job)
        ticks = int(re.search(r"usage_usec (\d+)", usage)[1]) // 4000
        print(f"# out of memory: {made.samples} samples, CPU time of {ticks} ticks")
        assert "\noom_kill 1\n" in events and made.whole()
        assert made.share(" three ") >= 60 and abs(made.samples - ticks) <= 3


# --- stacks and code that comes and goes ------------------------------------------------

def objects():
    # 37, 25, 25 and 12 percent of the work; a busy machine takes ticks from any.
    with test("plugins at one address are told apart, with stacks"):
        made = profile("plugins.out", client("plugins"), client("plugins.d"),
                       env={"LD_LIBRARY_PATH": client("plugins.d/usual")})
        assert made.whole() and b"same address\n" in made.out and made.fit().whole(80)
        for name, least in ("first", 20), ("second", 12), ("usual", 12), ("by_name", 6):
            # by_name.so is found along the RUNPATH of its caller.
            assert made.share(rf" {name} .* {name}\.so") >= least, name
    with test("names are kept with a profile, also after a dash, but not with --no-names"):
        execute(PROFIL, "-q", "-o", "-dash.out", HOT, "20")
        assert os.path.exists("-dash.out/profil.names")
        profile("bare.out", "--no-names", HOT, "20")
        assert not os.path.exists("bare.out/profil.names")
    for how in "map", "dump":
        with test(f"code made by the program has the names of its {how}"):
            made = profile("jit.out", os.environ["PYTHON"], client("jit.py"), how)
            assert made.whole() and made.share(" made::while::running ") >= 80


def killed(name, spare, *command):
    """At some moment, with all processes of that name."""
    for moment in range(5, 65, 10):
        process = start(PROFIL, "-q", "-o", "killed.out", "dash", "-c", " ".join(command) + "; :")
        time.sleep(moment / 100)
        for pid in pids_of(name):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        process.wait()
        made = Profile("killed.out")
        assert made.fit(spare).good and "damaged" not in made.text


def churning():
    """Threads, plugins, forks and exec at the same time. Of a process that ends without
    a word nobody knows how many ticks are in no record."""
    churn = client("churn"), "3", client("plugins.d")
    with test("stacks fit samples while threads and plugins come and go"):
        made = profile("churn.out", *churn)
        fit = made.fit(100 * os.cpu_count())    # ticks of threads that exit, on each CPU
        assert fit.good and fit.whole(90) and fit.in_records(90)
        assert len(made.files("churn")) == 27 and "amaged" not in made.text
    with test("and if all that is killed at any moment"):
        killed("churn", 400, churn[0], "9", churn[2])   # CPUs wait for others in munmap()
    with test("and if the disk becomes full meanwhile"), \
            mounted("full", "-t tmpfs -o size=1m tmpfs"):
        leave_room("full", 100 * 4096)
        made = profile("full/profile", *churn)
        fit = made.fit(100000)
        assert fit.good and fit.in_records(5) and "amaged" not in made.text


def stacks():
    with test("killed at any moment, a program leaves its stacks"):
        killed("forks", 2, client("forks"), "4", client("true"))
    with test("threads that come and go have names and stacks"):
        made = profile("threads.out", client("churn"), "60")
        fit = made.fit()
        assert made.whole() and fit.whole(90) and fit.in_records(95) and fit.names >= 60
    with test("with limits of address space and of files there are stacks"):
        for least, kind, size, *command in (
                (98, resource.RLIMIT_AS, 500000 << 10, HOT, "100"),
                (98, resource.RLIMIT_FSIZE, 10000 << 9, HOT, "100"),
                (95, resource.RLIMIT_FSIZE, 10000 << 9, client("forks"), "4", client("true"))):
            made = profile("limit.out", *command, limit=(kind, size))
            assert made.whole() and (fit := made.fit()).whole(least) and \
                (least < 98 or fit.in_records(98))
    with test("where a limit leaves no room for them, it is said"):
        text = execute(PROFIL, "-o", "size.out", HOT, "40",
                       limit=(resource.RLIMIT_FSIZE, 2088 << 9))
        assert re.search("limits leave no room for call stacks: "
                         ".*hot runs without them$", text, re.M) and " samples, " in text
    with test("--no-stacks and PROFIL_STACKS=0 store no stacks"):
        for options, env, none in (["--no-stacks"], {}, True), ([], {}, False), \
                ([], {"PROFIL_STACKS": "0"}, True):
            made = profile("none.out", *options, HOT, "40", env=env)
            assert made.whole() and ("no stacks" in made.fit().text) == none
    full_of_stacks()


def full_of_stacks():
    """Samples are given pages ahead of time, stacks are not. With some number of pages
    left, there is room for a part of the stacks and for all samples."""
    with test("a full disk ends stacks before it ends samples"), \
            mounted("full", "-t tmpfs -o size=700k tmpfs"):
        for pages in range(14, 30, 2):
            remove("full/*")
            leave_room("full", pages * 4096)
            made = profile("full/profile", HOT, "400")
            fit = made.fit()
            if not fit.good or fit.in_records(5):
                break
        assert made.whole() and made.has("three") and fit.in_records(5)
        assert not fit.in_records(95), f"with {pages} pages"


# --- gprof ------------------------------------------------------------------------

def gprof_share(program, file, function):
    """Percent of the histograms of gmon.out that gprof gives a function."""
    flat = execute("gprof", "-b", "-p", client(program), file)
    rows = [line.split() for line in flat.splitlines()]
    return next((float(row[0]) for row in rows if row and row[-1] == function), 0)


def gmon():
    for kind in "hot-pg", "hot-pg-nopie", "hot-pg-fentry":
        with test(f"{kind}: the kernel's counts, libc's arcs, no SIGPROF"):
            remove("gmon.out")
            _, trace = traced(client(kind), "200",
                              env={"LD_PRELOAD": PRELOAD, "PROFIL_RATE": "fast",
                                   "PROFIL_DIRECTORY": f"{OUT}/gmon.d"})
            os.rename("gmon.out", f"{kind}.gmon")
            text = execute("gprof", "-b", client(kind), f"{kind}.gmon")
            assert 69 <= gprof_share(kind, f"{kind}.gmon", "three") <= 81
            assert "Each sample counts as 0.001 seconds" in text
            assert re.search(r" 20000 .* three$", text, re.M) and "--- SIG" not in trace
    with test("preloading alone gives profil's rate, and to gmon.out"):
        remove("gmon.out", "profil.out")
        preloaded(client("hot-pg"), "100")
        assert "Each sample counts as 0.001 seconds" in \
            execute("gprof", "-b", client("hot-pg"), "gmon.out")
        [path] = glob.glob("profil.out/hot-pg*")
        with open(path, "rb") as file:
            # Rate and flags.
            assert struct.unpack_from("<II", file.read(80), 72) == (2, 2)
    with test("a -pg child's gmon.out has its own and earlier work"):
        preloaded(client("forks-pg"), "4",
                  env={"GMON_OUT_PREFIX": f"{OUT}/gmonchild", "PROFIL_RATE": "fast",
                       "PROFIL_DIRECTORY": f"{OUT}/children.d"})
        shares = [[gprof_share("forks-pg", file, name)
                   for name in ("accept_request", "serve")] for file in glob.glob("gmonchild.*")]
        remove("gmonchild.*")
        children = sorted(accepts for accepts, serves in shares if serves)
        # The Nth child has N times 6 million of its parent's and 18 of its own,
        # in 100 random samples and more: 4 sigma are 17 percent.
        assert len(shares) == 5 and len(children) == 4 and all(
            abs(share - 100 * n / (n + 3)) < 17 for n, share in enumerate(children, 1)), shares
    with test("what moncontrol() switches off is in the profile only"):
        remove("gmon.out")
        made = profile("control.out", client("own"), "moncontrol")
        os.rename("gmon.out", "control.gmon")
        assert gprof_share("own", "control.gmon", "during") >= 95
        assert made.has("during", "after", least=40)
    with test("libc's arcs have no room: an older gmon.out stays"):
        with open("control.gmon", "rb") as file:
            old = file.read()
        os.rename("control.gmon", "gmon.out")
        assert "will not be generated" in preloaded(client("own"), "arcs")
        with open("gmon.out", "rb") as file:
            assert file.read() == old
    with test("gdb's maint set profile writes gmon.out"):
        made = profile("gdb.out", "gdb", "-nx", "-batch", "-iex", "maint set profile on",
                       "-ex", "info functions hot", "-ex", "info types .",
                       "-ex", "maint set profile off", client("hot-static"))
        assert made.has("gdb") and os.stat("gmon.out").st_size > 1000000
        os.rename("gmon.out", "gdb.gmon")
    with test("gcl executes itself, and its gprof has the samples"):
        gcl = os.environ["GCL"]
        made = profile("gcl.out", gcl, "-dir", os.path.dirname(gcl) + "/", "-libdir",
                       os.path.dirname(os.path.dirname(gcl)) + "/", "-load",
                       client("sort.lsp"), "-eval", "(quit)")
        assert b"Each sample counts as 0.001 seconds" in made.out
        assert re.search(rb"^ *[1-9].*SORT__seqlib", made.out, re.M)
        assert len(made.files("saved_ansi_gcl")) >= 2


# --- costs ---------------------------------------------------------------------------

def calls(*command):
    _, trace = traced(*command)
    return len(re.findall(r"^\d* *[a-z][a-z0-9_]*\(", trace, re.M))


def cost(*command):
    """The mean of the nanoseconds that ten runs take, after one that is not counted."""
    for turn in range(11):
        if turn == 1:
            start_ns = time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW)
        os.waitpid(os.posix_spawn(command[0], command, os.environ), 0)
    return (time.clock_gettime_ns(time.CLOCK_MONOTONIC_RAW) - start_ns) // 10


def costs():
    quiet = PROFIL, "-q", "--no-names", "-o", "cost.out", client("true")
    with test("profil adds fewer than 82 system calls, 93 with a sample"):
        more = []
        without = calls(client("true"))
        for _ in range(8):
            remove("cost.out")
            more.append(calls(*quiet) - without)
        print(f"# profil true: {more} system calls more")
        # After a tick, its sample and stack are brought together. Debian 13's libc makes one more.
        assert min(more) < 82 and max(more) < 93, more
    with test("profil adds fewer than 5 million instructions"):
        # One is one nanosecond here: 5 ms of CPU time are 5 million.
        added = cost(*quiet) - cost(client("true"))
        print(f"# profil true: {added} instructions more")
        assert added < 5000000, added
    for what, body, times in ("forks", "(:)", 1000), ("execs", client("true"), 1000):
        with test(f"of a loop of {what}, less than 10% is profiling"):
            profile("loop.out", "dash", "-c",
                    f"i=0; while [ $i -lt {times} ]; do i=$((i+1)); {body}; done")
            stacks = re.findall(r"^(.*) (\d+)$", execute(PROFIL, "report", "-f", "folded",
                                                         "loop.out"), re.M)
            every, ours = (sum(int(n) for stack, n in stacks if re.search(names, stack))
                           for names in ("", "fork_child|preload_begin|;(end|leave)(;|$)"))
            print(f"# {ours} of {every} samples are in the library")
            assert ours * 10 < every
    with test("no system call and no signal during the run"):
        _, trace = traced(HOT, "40", env={"LD_PRELOAD": PRELOAD, "PROFIL_RATE": "fast",
                                          "PROFIL_DIRECTORY": f"{OUT}/quiet.d",
                                          "PROFIL_PROCESS": str(os.getpid())})
        # After the device's ioctl it is closed. At the end: is the file ours, by
        # memory and number; is the page there; exit.
        lines = trace.splitlines()
        last = max(i for i, line in enumerate(lines) if " ioctl" in line)
        assert len(lines) - last <= 7 and " --- SIG" not in trace, lines[-12:]
