# SPDX-License-Identifier: LGPL-2.1-or-later
"""reading.py PROFIL-REPORT FIXTURES: what it reads in files made for the purpose, good
and bad ones, with stacks and without, in TAP."""
import collections
import os
import re
import subprocess

from reports import (FIXTURES, LEAF, MAIN, ONE, TWO, costs, folded, main, prog, run, test, used_by)
from profile_file import (ARGUMENTS, HOST, KERNEL, LOG_AT, PROCESS, SYSCALL, Profile, log_record)

FILE = "prog.4711"
# What is outside of all objects.
NOWHERE = "[unknown]"


def missing(*paths):
    """What it says of these."""
    return "".join(f"profil: {path}: not found: no names of functions, only pages\n"
                   for path in paths)


def tree(*options, **more):
    """Folded stacks without the program, and with the pages' numbers alone."""
    return {" ".join(one.split("+0x")[-1] for one in stack.split(";")[1:]): samples
            for stack, samples in folded(*options, **more).items()}


def places(**more):
    """Samples of objects' addresses."""
    found = collections.Counter()
    for name, _, address, _, samples in costs(**more):
        found[name, address] += samples
    return found


def reads(name, file, wanted, *words, options=(), lacks=(), path=FILE):
    """Samples of addresses or of stacks; patterns that the report has, and what it has
    not. FILE is written first; without it, the file is there."""
    with test(name):
        if file:
            file.write(path)
        if wanted:
            found = tree(path=path) if isinstance(list(wanted)[0], str) else places(path=path)
            assert found == wanted, found
        out, _ = run(*options, path=path)
        for word in words:
            assert re.search(word, out, re.M), word
        assert not any(word in out for word in lacks)


def test_samples():
    x_so = Profile().object("/bin/prog", 0x10001000, 0x10002000, 0x10000000).object(
        "/lib/libx.so", 0x20001000, 0x20002000, 0x20000000)
    reads("samples are counted by object and address",
          x_so.samples(0x10001234, 3).samples(0x20001234, 2).samples(0x10001234),
          {("prog", 0x1234): 4, ("libx.so", 0x1234): 2}, "^6 samples, 0.006 s .* 1 process",
          "^0 lost, 0 outside", lacks=["still run", "were lost"])
    # The third sample is of what is found there next.
    reads("objects at one address follow each other",
          Profile().object("/a.so", 0x1000, 0x2000).gone(0x1000, 2).object(
              "/b.so", 0x1000, 0x2000, sample=3).samples(0x1100, 5),
          {("a.so", 0x1100): 2, ("b.so", 0x1100): 3})
    reads("an object replaces what was there",
          Profile().object("/a.so", 0x1000, 0x3000).object(
              "/b.so", 0x2000, 0x4000, 0x1000, sample=1).samples(0x2500, 2),
          {("a.so", 0x2500): 1, ("b.so", 0x1500): 1})
    # What libc loads for itself.
    reads("an object that is logged later has its samples",
          Profile().object("/early.so", 0x10000, 0x20000, 0x10000, sample=10).object(
              "/late.so", 0x10000, 0x20000, 0x10000, sample=20).object(
              "/bad.so", 0x30000, 0x40000, 0x50000, offset=0, sample=20).samples(
              0x10010, 3).samples(0x20000, 2).samples(0x30010, 2).samples(0x10010, 5),
          {("early.so", 0x10): 8, (NOWHERE, 0x20000): 2, (NOWHERE, 0x30010): 2})
    reads("zeroes between samples are lost ticks",
          Profile().samples(0x1000, 2).samples(0, 3).samples(0x1000).samples(0, 1000),
          {(NOWHERE, 0x1000): 3}, "^3 lost,", "^3 samples were lost")
    # Some blocks of the file were never written at all.
    with open(FILE, "wb") as file:
        file.write(Profile().samples(0x1000, 2).bytes())
        file.seek(LOG_AT + 8 * 100000)
        file.write(b"\0\x10\0\0\0\0\0\0")
    reads("a hole between samples is lost ticks", None, {(NOWHERE, 0x1000): 3}, "^99998 lost,")
    reads("narrow samples are read", Profile(4).samples(0x1100, 2).samples(0xfffffff0),
          {(NOWHERE, 0x1100): 2, (NOWHERE, 0xfffffff0): 1})
    reads("samples at the end of the address space have an end",
          Profile().samples(0xfffffffffffff010).samples(2**64 - 1, 2), None,
          r"^100.00% +3 .*page 0xfffffffffffff000\] ")


def test_processes():
    os.mkdir("both")
    for pid, fields in (1, {}), (2, {"period_ns": 10**7, "state": 0}):
        Profile(pid=pid, **fields).object("/bin/prog", 0x1000, 0x2000).samples(
            0x1234, 3).samples(0xdead1000, 2).write(f"both/prog.{pid}")
    reads("files of a directory are added up", None,
          {("prog", 0x1234): 6, (NOWHERE, 0xdead1000): 4},
          "^10 samples, 0.055 s of CPU time in 2 process.*, different rates$",
          "^ +2 +0.050 +90.91%", "^ +1 +0.005 +9.09%", "^0 lost, 4 outside",
          lacks=["still run"], path="both")
    with test("different rates are not added up in silence"):
        said = "different rates: compare seconds, not samples"
        assert said in run("-f", "folded", path="both")[1]
        assert said not in run("-f", "folded", "--pid=2", path="both")[1]
        run("-f", "gmon", "--object=prog", path="both", status=1)
        run("-f", "gmon", "--object=prog", "--pid=2", path="both")
    # The first is killed while it starts its profile, the second before that.
    with test("files that do not say their rate have the one of others"):
        os.mkdir("killed")
        for pid, n, period in (1, 3, 0), (2, 0, 0), (3, 2, 10**6):
            Profile(pid=pid, period_ns=period, rate=2 if period else 0).samples(
                0x1000, n).write(f"killed/prog.{pid}")
        out, said = run(path="killed")
        assert "\n5 samples, 0.005 s" in out and "1000 samples a second (fast clock)" in out
        assert "prog.1: unknown rate: using that of other files" in said
        assert "prog.2: stopped before profiling began" in said
    with test("other files of a directory are passed over in silence"):
        os.makedirs("others/directory")
        os.mkfifo("others/fifo")
        for name in "empty", "notes":
            with open(f"others/{name}", "w", encoding="ascii") as file:
                file.write("" if name == "empty" else "no profile")
        assert "no profile files in this directory" in run(path="others", status=1)[1]
        Profile().samples(0x1000).write("others/prog.1")
        assert run(path="others")[1] == ""
        run(path="others/notes", status=1)
    reads("code in no object is kept by process", None, None,
          *2 * [r"unknown.*\n(.*\n)*.*unknown"], path="both")
    # 4: PROFIL_STATE_FAULT.
    reads("what the library says is passed on",
          Profile(capacity=2, dropped=5, waits_lost=6, unprofiled=4, stopped=4)
          .samples(0x1000, 2), None,
          r"^1 file was full", r"^1 file could not be written", "^5 lost",
          "^5 samples were lost", "^6 samples of waits were lost", r"^4 processes could not ")
    # ENODEV, EDQUOT, EACCES, EPERM and, in a damaged file, more than there are.
    for fields, said in (
            ({"file_error": 13}, "4 processes could not create a file: Permission denied"),
            ({"refused": 4, "start_error": 122}, "4 processes were refused a profile: "
             r"this user has as many as the module's max_profiles allows"),
            ({"stopped": 5, "start_error": 13}, r"1 file is incomplete: the kernel refused "
             r"to go on: the fast rate is not allowed any more .restrict_fastprof.\n4 .*"),
            ({"refused": 9, "start_error": 1}, "4 processes were refused a profile: "
             r"the administrator has switched profiling off"),
            ({"refused": 1, "start_error": 19, "file_error": 28},
             "3 processes could not create a file: No space left on device\n"
             "1 process was refused a profile: No such device")):
        reads(f"the reason is told: {', '.join(fields)}",
              Profile(unprofiled=4, **fields).samples(0x1000, 2), None, f"^{said}$")
    named = Profile().record(PROCESS, b"python3.11").record(
        ARGUMENTS, b"/bin/python3.11\0a b\0-c\0").record(HOST, b"here\x1b[1m\0").samples(1)
    reads("a process is called what it says", named, None, r"here\\\\x1b\[1m", options=["--html"])
    reads("and so is its command line", None, None, "^cmd: /bin/python3.11 a b -c$",
          options=["-f", "callgrind"])
    reads("a title is the last one", named.record(ARGUMENTS, b"python: worker 1\0\0"), None,
          "^cmd: python: worker 1$", options=["-f", "callgrind"])
    reads("and its stacks", None, None, r"^python3\.11;", options=["-f", "folded"])
    reads("a file without a name in it is called by its own", Profile().samples(1), None,
          r"^a\\x0ab;", options=["-f", "folded"], path="a\nb.4711.1")
    with open("perf-4711.map", "w", encoding="ascii") as file:
        file.write("5000 100 made\n")
    reads("what a process says it made is not outside",
          Profile().samples(0x5010, 7).samples(0x9010, 2), None, "  made  ",
          "^0 lost, 2 outside all objects")
    with open("perf-4711.map", "w", encoding="ascii") as file:
        for i, name in enumerate(("~f", "*f", "^f", "+f", "JS:~g x.js:1", "JS:*g x.js:1", "+",
                                  "RegExp:^a")):
            file.write(f"{0x5000 + 0x100 * i:x} 100 {name}\n")
    made = Profile()
    for i in range(8):
        made.samples(0x5010 + 0x100 * i)
    reads("node's versions of a function have one row", made, None,
          r" +4 .*  f  ", r" +2 .*  JS:g x\.js:1  ", r" +1 .*  \+  ", r" +1 .*  RegExp:\^a  ")
    os.remove("perf-4711.map")


def good(**fields):
    """100 samples of each of two objects."""
    return Profile(**fields).object("/bin/prog", 0x1000, 0x2000).object(
        "/lib/x.so", 0x3000, 0x4000, sample=1).gone(0x3000, 150).samples(0x1234, 100).samples(
        0x3234, 100)


def stacks_of(size=None, **fields):
    """100 samples, then 50 words of stacks; FIELDS are added to what is right."""
    made = Profile().object("/bin/prog", 0x1000, 0x2000).samples(0x1234, 100)
    made.fields = {"capacity": 100, "stacks_offset": len(made.bytes()), "stacks_capacity": 400}
    made.fields.update((name, min(made.fields[name] + n, 2**64 - 8)) for name, n in fields.items())
    made.samples(0x1111, 50).write(FILE, size)


def write_hole():
    """A log of 4 KiB, and 3 GiB of nothing before the samples."""
    made, hole = good(), 3 << 30
    made.log += log_record(99, bytes(4096 - LOG_AT - len(made.log) - 16))
    fields = {"log_used": 4096 - LOG_AT + hole, "log_capacity": 2**32,
              "samples_offset": 4096 + hole, **made.fields}
    made.fields = fields
    head = made.head()
    with open(FILE, "wb") as file:
        file.write(head)
        file.seek(fields["samples_offset"])
        file.write(made.pcs.tobytes())


def test_damage():
    at, first = LOG_AT + len(good().log), good().log[4]
    prog_at, x_so_at, none_at = ("prog", 0x1234), ("x.so", 0x3234), (NOWHERE, 0x3234)
    some = {prog_at: 100, none_at: 100}
    for size, fields in ((0, {}), (207, {}), (None, {"magic": b"\177PR\0FIL\n"}),
                         (None, {"version": 3}), (None, {"byte_order": 0x04030201}),
                         (None, {"sample_width": 3}), (None, {"samples_offset": at + 1})):
        with test(f"what is no profile file is refused: {size} {', '.join(fields)}"):
            good(**fields).write(FILE, size)
            run(status=1)
    for n, size, fields in ((100, None, {}), (100, None, {"stacks_capacity": -400}),
                            (99, None, {"capacity": -1}), (99, -51 * 8, {"capacity": -1})):
        stacks_of(size, **fields)
        reads(f"stacks are no samples: {size} {fields}", None, {prog_at: n})
    with test("a file that was cut before its stacks is not damaged"):
        assert run()[1] == missing("/bin/prog")
    for fields in ({"stacks_offset": 1}, {"stacks_offset": -8}, {"stacks_offset": -808},
                   {"stacks_offset": 2**64}, {"capacity": 2**61}):
        with test(f"stacks that are nowhere are left out: {', '.join(fields)}"):
            stacks_of(**fields)
            out, said = run()
            assert "damaged: its stacks are missing" in said and "\n150 samples," in out
    for name, made in (("samples", good()), ("stacks", prog().stack(1, 2, LEAF, MAIN))):
        with test(f"a report leaves a file as long as it is: {name}"):
            made.write(FILE)
            wanted = run()[0]
            os.truncate(FILE, 1 << 36)
            before = os.stat(FILE)
            assert run()[0] == wanted
            after = os.stat(FILE)
            assert (after.st_size, after.st_mtime_ns) == (1 << 36, before.st_mtime_ns)
    good().write(FILE, -101)
    reads("a truncated file gives what it has", None, {prog_at: 100, x_so_at: 50, none_at: 37})
    good().write(FILE, LOG_AT + 100)
    reads("and nothing, if that is before its samples", None, None, "^0 samples,")
    for name, fields, found in (
            ("of more than there is", {"log_used": 2**64 - 8},
             {prog_at: 100, x_so_at: 50, none_at: 50}),
            ("behind the file", {"log_offset": 2**64 - 16}, {(NOWHERE, 0x1234): 100, none_at: 100}),
            ("of less than its capacity", {"log_capacity": first}, some)):
        reads(f"a log {name} gives what is right in it", good(**fields), found)
    with test("a log ends at its first hole"):
        write_hole()
        status, used = used_by("report", "-o", "out", FILE)
        assert status == 0 and used.ru_maxrss < 300000, used
    with test("it is said that not all objects are known"):
        assert "not all objects are known" in run()[1]
    for size in 1 << 30, 12:
        made = good()
        made.log = made.log[:first + 4] + size.to_bytes(4, "little") + made.log[first + 8:]
        reads(f"a log with a record of {size} bytes ends there", made, some)
    with test("and that is said, but of no good file"):
        said = run()[1].split()
        assert {f"{first}", f"{len(made.log)}", "bytes", "about"} < set(said), said
        good().write(FILE)
        assert run()[1] == missing("/bin/prog", "/lib/x.so")
    with test("version 1 is refused, and the terminal left alone"):
        good(version=1).write("a\x1b[2J\nb\udc9b")
        _, said = run(path="a\x1b[2J\nb\udc9b", status=1)
        assert said.endswith(r"a\x1b[2J\x0ab\x9b: profile file of version 1; "
                             "this profil reads version 2\n") and said.count("\n") == 1


def test_stacks():
    reads("stacks are a tree of calls",
          prog().stack(1, 1, LEAF, ONE, MAIN).stack(1, 2, LEAF, ONE + 4, MAIN + 8).stack(
              1, 4, ONE, MAIN).stack(1, 8, LEAF, TWO, MAIN),
          {"401000 402000 404000": 3, "401000 402000": 4, "401000 403000 404000": 8},
          "^ *73.33% +11 +0.011 +73.33% .*404000", "^ *26.67% .* 46.67% .*402000")
    reads("recursion has each stack once",
          prog().stack(1, 3, LEAF, ONE, TWO, ONE, ONE, MAIN).stack(1, 2, ONE, MAIN).stack(
              1, 5, MAIN), None,
          "^ *20.00% .* 50.00% .*402000", "^ *50.00% .* 100.00% .*401000")
    reads("what has no record has no stack",
          prog().stack(7, 1, LEAF, MAIN).samples(LEAF, 2).samples(ONE).stack(7, 1, LEAF, MAIN),
          {"404000": 2, "401000 404000": 2, "402000": 1}, "^ *60.00% +3 .* (not known|unknown),",
          "^ *40.00% +2 .* 7 ", options=["--by=thread"])
    lost = prog().stack(1, 1, LEAF, MAIN).stack(1, 2, ONE, MAIN).samples(ONE)
    lost.pcs[1] = 0
    reads("what the array has lost counts as well", lost,
          {"401000 402000": 2, "401000 404000": 1, "402000": 1}, "^0 lost,")
    prog().samples(ONE).stack(1, 2, LEAF, MAIN).samples(TWO).stack(1, 1, LEAF, MAIN).stack(
        3, 1, ONE, MAIN, sample=0).write(FILE)
    for start, end, stacks in ((0, 0.0005, {"401000 402000": 1}),
                               (0.0005, 0.0025, {"401000 404000": 2}),
                               # Between samples 1, at 1 ms, and 4, at 4 ms.
                               (0.0025, 0.0035, {"403000": 1}),
                               (0.0035, 0.005, {"401000 404000": 1})):
        with test(f"samples are in the order of time: from {start} s to {end} s"):
            assert tree(f"--from={start}", f"--to={end}") == stacks
    reads("threads have names",
          prog().stack(12, 1, LEAF, MAIN).name(12, b"wor\nker").stack(13, 1, LEAF, MAIN), None,
          r" 12 +wor\\x0aker, ", " 13 +-, ", options=["--by=thread"])
    # The flat profile has where it was entered from.
    reads("time in the kernel is a call",
          prog().stack(1, 1, ONE, MAIN, head=KERNEL | SYSCALL, syscall=0).stack(
              1, 2, ONE, MAIN, head=KERNEL | SYSCALL, syscall=999).stack(
              1, 1, LEAF, MAIN, head=KERNEL).stack(1, 1, LEAF, MAIN, head=SYSCALL, syscall=1),
          {"401000 402000 [syscall 999]": 2, "401000 402000 [read]": 1,
           "401000 404000 [interrupt or fault]": 1, "401000 404000": 1},
          "^ *60.00% +3 .*402000", "^ *40.00% +2 .*404000", lacks=["[read]"])
    # All of one stack had the same hash as two frames of the other, in all processes.
    one = range(0x400000, 0x400000 + 16 * 255, 16)
    two = [5915402758, 1176736425598082334, *range(0x410000, 0x410000 + 16 * 253, 16)]
    reads("stacks with the same hash are two",
          prog().stack(1, 1, *one[::-1], sample=1).stack(1, 1, *two[::-1], sample=0).samples(
              two[-1]).samples(one[-1]), {(NOWHERE, two[-1]): 1, (NOWHERE, one[-1]): 1})
    reads("narrow programs have system calls of their own",
          prog(width=4).stack(1, 1, ONE, head=KERNEL | SYSCALL, syscall=3).samples(0),
          {"402000 [read]": 1})
    reads("objects are those of the time",
          prog().object("/none/first", 0x501000, 0x502000, 0x500000).samples(0x501010).stack(
              1, 1, 0x501010, MAIN).gone(0x501000, 2).object(
              "/none/second", 0x501000, 0x502000, 0x500000, sample=2).stack(
              1, 1, 0x501010, MAIN).stack(2, 1, 0x501010, MAIN, sample=0), None,
          r"^prog;prog\+0x401000;first\+0x1000 2$", r"^prog;prog\+0x401000;second\+0x1000 1$",
          options=["-f", "folded"])
    with test("inlined calls are calls"):
        path, bias = f"{FIXTURES}/inlined.so", 0x7f0000000000
        symbols = subprocess.check_output(["nm", "-S", path], text=True)
        start, size = re.search(r"(\w+) (\w+) T has_calls", symbols).groups()
        made = prog().object(path, bias + 0x1000, bias + 0x40000, bias)
        for offset in range(int(size, 16)):
            made.stack(1, 1, LEAF, bias + int(start, 16) + offset, MAIN)
        made.write(FILE)
        assert set(tree()) == {"401000 has_calls 404000", "401000 has_calls twice(int) 404000"}
    prog().samples(LEAF, 5).write("both/prog.1")
    prog().stack(1, 2, LEAF, MAIN).write("both/prog.2")
    reads("files without stacks are added", None, {"404000": 5, "401000 404000": 2}, path="both")
    cut = prog().stack(1, 2, LEAF, MAIN).stack(1, 1, ONE, MAIN)
    cut.write(FILE, -3)
    reads("a truncated stream is read as far as it goes", None, {"401000 404000": 2, "402000": 1})
    cut.stream[1 + cut.stream[0]] = 0x20
    reads("and so is a damaged one", cut, {"401000 404000": 2, "402000": 1})
    for room in 0, 1:
        with test(f"a killed process that has room for {room} more is{' not' * room} full"):
            prog(state=0, ended_ns=0).stack(1, 3, LEAF, MAIN).samples(0, room).write(FILE)
            assert ("file was full" in run()[0]) == (not room)
    deep = [0x401000 + 0x1000 * (i % 7) for i in range(255)]
    reads("deep stacks are whole", prog().stack(1, 3, *deep),
          {" ".join(f"{pc:x}" for pc in reversed(deep)): 3}, "^100.00% +3 .* 100.00% .*401000",
          "^3 samples with all callers", lacks=["frames"])
    # 1 and 3: PROFIL_STACK_END_FRAMES and _MEMORY.
    reads("deeper ones say so", prog().stack(1, 3, *deep, end=1).stack(1, 2, LEAF, ONE, end=3),
          None, "^0 samples with all callers, 5 with some",
          "^3 samples have more than 255 frames: the outermost are missing$")


main(test_samples, test_processes, test_damage, test_stacks)
