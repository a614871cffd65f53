# SPDX-License-Identifier: LGPL-2.1-or-later
"""objects.py PROFIL-REPORT FIXTURES: names, lines, inlined calls, and hostile files, in TAP."""
import os
import re
import resource
import shutil
import subprocess

from reports import FIXTURES, REPORT, costs, main, run, test, used_by
from profile_file import SYSCALL, WAIT, Profile

FILE = "prog.4711"
BUILD_ID = "/usr/lib/debug/.build-id/01/23456789abcdef0123456789abcdef01234567.debug"
LIBRARY, BIAS = f"{FIXTURES}/inlined.so", 0x7f0000000000


def write_profile():
    """Samples of twice(), inlined into a lambda and into has_calls(), and of the lambda."""
    text = re.search(r" \.text +PROGBITS +(\w+) \w+ (\w+) ", subprocess.check_output(
        ["readelf", "-SW", LIBRARY], text=True)).groups()
    start, size = (int(n, 16) for n in text)
    said = subprocess.check_output(
        ["addr2line", "-afiC", "-e", LIBRARY, *(hex(start + i) for i in range(size))], text=True)
    # Functions of each address, innermost first.
    stacks = {}
    for part in re.split("^0x", said, flags=re.M)[1:]:
        address, *lines = part.splitlines()
        stacks.setdefault(" < ".join(lines[::2]), int(address, 16))
    made = Profile().object(LIBRARY, BIAS, BIAS + 0x40000, BIAS)
    for samples, stack in ((30, r"twice\(int\) < operator\(\)"),
                           (5, r"twice\(int\) < has_calls"), (10, r"[^<]*operator[^<]*")):
        made.samples(BIAS + next(address for name, address in stacks.items()
                                 if re.fullmatch(stack, name)), samples)
    made.write(FILE)


def annotate(*options):
    return subprocess.check_output([REPORT, "annotate", *options[:-1], FILE, options[-1]],
                                   text=True)


def table():
    text, _ = run()
    with test("an inlined function has a row of its own"):
        assert (" 77.78%        35     0.035   77.78%  twice(int) (inlined into 2 functions)"
                in text)
    with test("what it is inlined into has what is left, and all of it"):
        assert re.search(r"^ *22.22% +10 +0.010 +88.89% +.*::operator\(\)", text, re.M)
        # It has nothing of its own.
        assert not re.search("has_calls +inlined", text) and "\n45 samples," in text
    with test("a selected function is selected where it is inlined"):
        assert "\n35 samples," in run("--function=twice")[0]
    with test("--by=line has lines of inlined functions"):
        text, _ = run("--by=line")
        assert re.search(r"^ 77.78% +35 +0.035  inlined.cc:\d+  twice\(int\)$", text, re.M)
    with test("speedscope has inlined frames"):
        text, _ = run("-f", "json")
        assert '{"name":"twice(int)","file":"' in text
        assert '"samples":[\n[1,0],\n[2,0],\n[1]]' in text
    with test("callgrind counts what is inlined where it is"):
        text, _ = run("-f", "callgrind")
        assert "::operator()" in text and "\ntotals: 45\n" in text and "fn=twice" not in text
        # The lambda's lines, and that of has_calls().
        assert {29} < {line for *_, line, _ in costs()} <= {24, 25, 29}


def listings():
    with test("the source of an inlined function has its samples"):
        text = annotate("twice")
        assert re.search(r"^twice\(int\), inlined into .*operator\(\).* and 1 more in ", text)
        for part in (": 35 samples, 77.78%; ", "inline int twice(int value)\n"):
            assert part in text, part
        lines = re.findall(r"^ *[\d.]+% +(\d+) +(\d+)  ", text, re.M)
        assert sum(int(n) for n, _ in lines) == 35
        assert all(6 <= int(line) <= 12 for _, line in lines)
    with test("the code of an inlined function is shown where it is"):
        text = annotate("--code", "twice")
        # What is around it is not shown.
        assert "  ret" not in text and 4 <= text.count("\n") - 1 <= 10
        assert sum(map(int, re.findall(r"^ *[\d.]+% +(\d+)", text, re.M))) == 35
    with test("a function has what is inlined into it"):
        text = annotate("*operator()*")
        assert re.search(": 40 samples, 88.89%, 30 of them in .* inlined into it; ", text)
        assert "100.00%        40     25  \t\treturn twice(value) + 1;\n" in text
    with test("annotate says what it does not find"):
        done = subprocess.run([REPORT, "annotate", FILE, "nonesuch"], check=False,
                              capture_output=True)
        assert done.returncode == 1
        assert b"no function with samples matches 'nonesuch'" in done.stderr


def waits():
    code = subprocess.check_output(["objdump", "-d", LIBRARY], text=True)
    call = BIAS + int(re.search(r"^ *(\w+):.*call.*<puts@plt>$", code, re.M)[1], 16)
    Profile().object(LIBRARY, BIAS, BIAS + 0x40000, BIAS).object(
        "/none/libc.so.6", 0x1000, 0x2000).stack(1, 5, call).stack(
        1, 300, 0x1010, call, head=WAIT | SYSCALL).stack(
        1, 7, 0x1010, call, call, head=WAIT | SYSCALL).write(FILE)
    with test("annotate has the waits of calls from a line, once each"):
        for options, n in (["--waits"], 307), (["--wall"], 312):
            text = annotate(*options, "has_calls")
            assert f"has_calls in inlined.so: {n} samples, 100.00%, with the calls" in text
            assert re.search(rf'^100.00% +{n} +\d+  \tputs\("called"\);$', text, re.M)
        assert re.search(r'^100.00% +5 +\d+  \tputs\("called"\);$', annotate("has_calls"), re.M)
    with test("callers that many stacks have take memory once"):
        made = Profile().object("/none/prog", 0, 0x9000)
        for i in range(20000):
            made.stack(1, 1, 0x4000 + i, *range(1, 250))
        made.write(FILE)
        status, used = used_by("annotate", "--wall", "-o", "out", FILE, "*")
        assert status == 0 and used.ru_maxrss < 300000, used


def symbol(library, name):
    """Address and size."""
    text = subprocess.check_output(["nm", "-S", os.path.join(FIXTURES, library)], text=True)
    return [int(n, 16) for n in re.search(rf"^(\w+) (\w+) . {name}", text, re.M).groups()]


def write(path, start, size, width=8):
    """A sample at each of these addresses of an object."""
    made = Profile(width).object(path, 0, 0x40000)
    for address in range(start, start + size):
        made.samples(address)
    made.write(FILE)


def lines(path, *options, start=0x1000, size=0x200):
    write(path, start, size)
    return {line for _, _, _, line, _ in costs(*options)}


def fixtures():
    for library in "inlined.so", "split.so", "linked.so":
        with test(f"{library} has lines and inlined calls"):
            write(f"{FIXTURES}/{library}", *symbol(library, "has_calls"))
            stacks = run("-f", "folded")[0]
            assert "prog;has_calls;twice(int) " in stacks and "prog;has_calls " in stacks
            # Where it begins, and where the call is.
            assert {23, 29} <= {line for _, name, _, line, _ in costs() if name == "has_calls"}
    with test("a part of a function has inlined calls"):
        write(f"{FIXTURES}/many.so", *symbol("many.so", r"nested\."))
        assert re.search(r"^prog;nested\..*;inner ", run("-f", "folded")[0], re.M)
    with test("a function without a name has its address"):
        start, size = symbol("many.so", r"nested\.")
        subprocess.run(["strip", "-o", "bare.so", f"{FIXTURES}/many.so"], check=True)
        write(f"{os.getcwd()}/bare.so", start, size)
        assert run("-f", "folded")[0] == f"prog;bare.so+{start:#x} {size}\n"
    for library, name, width in ("inlined.so", "puts", 8), ("narrow.so", "outside", 4):
        with test(f"entries of the linkage table of {library} have names"):
            write(f"{FIXTURES}/{library}", 0x1000, 0x200, width)
            assert f"prog;{name}@plt 16\n" in run("-f", "folded")[0]
    write(f"{FIXTURES}/nested.so", *symbol("nested.so", "outer"))
    with test("a function goes on behind another one inside it"):
        assert run("-f", "folded")[0] == "prog;outer 32\nprog;inner 16\n"
        assert re.search("32 samples, 66.67%; .*, source not found$", annotate("outer"), re.M)
    # Go's linker has written such ones.
    with test("wrong aranges are not believed"):
        for name, line in ("first", 10), ("second", 20):
            write(f"{FIXTURES}/aranges.so", symbol("aranges.so", name)[0], 1)
            assert re.search(rf'"{name}","file":"/aranges.c","line":{line}\b', run("-f", "json")[0])
    with test("entries of the linkage table have C++ names"):
        write(f"{FIXTURES}/nested.so", 0x1000, 0x200)
        assert "prog;Table::find(int)@plt 16\n" in run("-f", "folded")[0]
        assert "\n16 samples," in run("--function=Table::find")[0]


def names(text, *addresses):
    """Of a program that makes code, and says so with this map."""
    with open("perf-4711.map", "w", encoding="ascii") as file:
        file.write(text)
    return names_at(*addresses)


def names_at(*addresses):
    made = Profile()
    for address in addresses:
        made.samples(address)
    made.write(FILE)
    found = {address: name for _, name, address, _, _ in costs()}
    return " ".join(found[address].replace("[page ", "").replace("]", "") for address in addresses)


def missing():
    with test("an object that is missing is said once"):
        Profile().object("/none/a", 0x1000, 0x3000).object("/none/b", 0x3000, 0x4000).samples(
            0x1004).samples(0x2004).samples(0x3004).write(FILE)
        said = "".join(f"profil: /none/{one}: not found: no names of functions, only pages\n"
                       for one in "ab")
        assert run()[1] == run("--diff", FILE)[1] == said
    # In the first case profil has finished: it has found no map of the process, which is none.
    with test("a map in /tmp may be that of a later process"):
        pid, found = 90000000 + os.getpid(), []
        path = f"/tmp/perf-{pid}.map"
        with open(path, "w", encoding="ascii") as file:
            file.write("7f0000001000 100 made\n")
        for fields in {}, {"log_used": 0}, {"unattended": 1}, {"unattended": 2}:
            Profile(pid=pid, **fields).gone(0, 0).samples(0x7f0000001004).write(FILE)
            found.append(run("-f", "folded"))
        os.remove(path)
        assert found == [(f"prog;{name} 1\n", "") for name in
                         ["[page 0x7f0000001000]"] + 3 * ["made"]], found


def kernel():
    """What it maps into each process has names, and those of another kernel has none."""
    with open("/proc/self/maps", encoding="ascii") as lists:
        start, end = (int(n, 16) for n in re.search(
            r"^(\w+)-(\w+) .*\[vdso\]$", lists.read(), re.M).groups())
    with open("/proc/self/mem", "rb", buffering=0) as memory:
        memory.seek(start)
        build_id = re.search(rb"\x04\0{3}\x14\0{3}\x03\0{3}GNU\0(.{20})",
                             memory.read(end - start), re.S)[1]
    for name, known in ("this", build_id), ("another", bytes(20)):
        with test(f"code of {name} kernel in the process has its names"):
            made = Profile().object("[vdso]", start, end, start, build_id=known)
            made.pcs.extend(range(start, end, 4))
            made.write(FILE)
            assert ("clock_gettime" in run("-n", "0")[0]) == (known == build_id)


def maps():
    edges = 0xfff, 0x1000, 0x107f, 0x1080, 0x10ff, 0x1100, 0x2000
    with test("of two pieces at one address it is the newer"):
        assert names("1000 100 old\n2000 100 other\nnonsense\n1000 80 new\n", *edges) == \
            "0x0 new new old old 0x1100 other"
        assert names("1010 10 old\n1000 100 new one\n", 0x1000, 0x1010, 0x10ff, 0x1100) == \
            "new one new one new one 0x1100"
        assert names("1000 100 old\n1010 10 new\nffffffffffffff00 200 x\n", 0x100f, 0x1010,
                     0x101f, 0x1020, 0x10ff, 2**64 - 256) == \
            "old new new old old 0xfffffffffffff000"
    with test("versions of a function that is made again are one row"):
        names("1000 100 twice\n2000 100 other\n3000 100 twice\n1000 80 new\n", 0x1090, 0x1010,
              0x3000, 0x3010, 0x2000)
        assert re.search(r"^ *60.00% +3 +0.003 +60.00%  twice  ", run()[0], re.M)
        assert run()[0].count("  twice ") == 1
        assert re.search(r"^twice in .*: 3 samples(.*\n){4}$", annotate("twice"))
    # Nobody reads a hole of terabytes to see what is behind it.
    with test("a map ends where it is no text"):
        assert names("1000 100 good\n2000 100 " + 5000 * "\0" + "\n3000 100 behind\n", 0x1000,
                     0x2000, 0x3000) == "good 0x2000 0x3000"
        assert names("1000 100 good\n2000 100 last", 0x1000, 0x2000) == "good last"
    os.rename("perf-4711.map", "elsewhere")
    # Nobody ever writes into a FIFO: opening it as a file waits for ever.
    for what, create in (("a link", lambda to: os.symlink("elsewhere", to)), ("a FIFO", os.mkfifo),
            ("another user's", lambda to: (shutil.copy("elsewhere", to), os.chown(to, 1, 1)))
            )[:3 if os.geteuid() == 0 else 2]:
        with test(f"a map that is {what} is not read"):
            create("perf-4711.map")
            assert names_at(0x1000) == "0x1000"
        os.remove("perf-4711.map")


def make_root(library, path=None):
    """A root with a library at this path."""
    shutil.rmtree("root", ignore_errors=True)
    path = f"root{path or '/' + library}"
    os.makedirs(os.path.dirname(path), exist_ok=True)
    shutil.copy(f"{FIXTURES}/{library}", path)


def fifo(path):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    os.mkfifo(path)


def fifos():
    with test("a FIFO is no object"):
        fifo(f"{os.getcwd()}/none")
        write(f"{os.getcwd()}/none", 0x1234, 1)
        assert "prog;none+0x1000 1\n" == run("-f", "folded")[0]
    for library, name in (("linked.so", "inlined.debug"), ("split.so", "split.dwo"),
                          ("split.so", "split.so.dwp"), ("common.so", "common.debug")):
        with test(f"a FIFO beside {library} is no debug file: {name}"):
            shutil.copy(f"{FIXTURES}/{library}", library)
            fifo(f"{os.getcwd()}/{name}")
            assert lines(f"{os.getcwd()}/{library}") == {0}
            assert "twice" not in run("-f", "folded")[0]
            os.remove(name)
    for library, name in (("identified.so", BUILD_ID),
                          ("linked.so", "/usr/lib/debug/inlined.debug")):
        with test(f"nor is one below the root: {name}"):
            make_root(library)
            fifo(f"{os.getcwd()}/root{name}")
            assert lines(f"/{library}", f"--root={os.getcwd()}/root") == {0}


def roots():
    with test("debug information is found below a relative root"):
        make_root("identified.so")
        os.makedirs(os.path.dirname(f"root{BUILD_ID}"))
        shutil.copy(f"{FIXTURES}/identified.debug", f"root{BUILD_ID}")
        assert 23 in lines("/identified.so", "--root=root")
    make_root("inlined.so", LIBRARY)
    write_profile()
    source = f"{os.getcwd()}/root" + re.search(r"; (/.*\.cc)$", annotate("twice"), re.M)[1]
    with test("a FIFO is no source: that is still found without the root"):
        fifo(source)
        assert "inline int twice(int value)\n" in annotate("--root=root", "twice")
    with test("sources are found below the root and read up to a hole"):
        os.remove(source)
        with open(source, "w", encoding="ascii") as file:
            file.truncate(3 << 30)
            file.write(6 * "short\n" + "l" * 100000 + "\nnext\nshort\n")
        text = annotate("--root=root", "twice")
        assert " next\n" in text and text.count("lll\n") == 1
        with open(source, "r+", encoding="ascii") as file:
            file.write(6 * "short\n" + 1000 * "\0")
            file.truncate(6000)
            file.truncate(3 << 30)
        status, used = used_by("annotate", "-o", "out", "--root=root", FILE, "twice")
        assert status == 0 and used.ru_maxrss < 300000, used
    for link, found in ("/inside.cc", True), (f"{os.getcwd()}/root/inside.cc", False):
        with test(f"a link in the root of a process leads nowhere else: {found}"):
            os.replace(source, "root/inside.cc")
            os.symlink(link, source)
            assert ("short" in annotate("--root=/proc/self/cwd/root", "twice")) == found


# A function with COUNT blocks within each other, each of which has its first one as the next.
BLOCKS = """
	.globl f
	.type f,@function
f:	.fill 64,1,0x90
end:	.size f,.-f
	.section .debug_abbrev,"",@progbits
	.byte 1, 0x11, 1, 0x11, 1, 0x12, 7, 3, 8, 0, 0
	.byte 2, 0x2e, 1, 0x11, 1, 0x12, 7, 3, 8, 0, 0
	.byte 3, 0x0b, 1, 0x01, 0x13, 0, 0
	.byte 4, 0x0b, 0, 0, 0, 0
	.section .debug_info,"",@progbits
unit:	.long ends-version
version:	.short 4
	.long 0
	.byte 8
	.irp tag, 1, 2
	.byte \\tag
	.quad f, end-f
	.asciz "f"
	.endr
	.rept COUNT
	.byte 3
	.long .+4-unit
	.endr
	.byte 4
	.fill COUNT+2,1,0
ends:
"""


def blocks():
    with test("blocks that have their first as the next are read once"):
        subprocess.run(["gcc", "-shared", "-nostdlib", "-Wa,--noexecstack", "-o", "blocks.so",
                        "-xassembler", "-"], input=BLOCKS.replace("COUNT", "60"), text=True,
                       check=True)
        start, size = symbol(f"{os.getcwd()}/blocks.so", "f$")
        write(f"{os.getcwd()}/blocks.so", start, size)
        assert run("-f", "folded")[0] == f"prog;f {size}\n"


def many():
    with test("more objects than a process may have open at first"):
        made = Profile()
        start, size = symbol("many.so", r"nested\.")
        for i in range(200):
            os.symlink(f"{FIXTURES}/many.so", f"{i}.so")
            base = 0x10000000 + (i << 20)
            made.object(f"{os.getcwd()}/{i}.so", base + start, base + start + size, base)
            made.samples(base + start)
        made.write(FILE)
        most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, most[1]))
        try:
            assert "Too many" not in run("-f", "folded")[1]
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, most)


main(write_profile, table, listings, fixtures, missing, kernel, maps, fifos, roots, waits, blocks, many)
