# SPDX-License-Identifier: LGPL-2.1-or-later
"""names.py PROFIL-REPORT FIXTURES: the names that are kept with a profile, and what
reports make of them when the program is not what it was, in TAP."""
import contextlib
import functools
import http.server
import os
import re
import shutil
import socketserver
import struct
import subprocess
import sys
import threading
import zlib

from reports import REPORT, main, seen, test
from profile_file import KERNEL, SYSCALL, WAIT, Profile

HERE = os.path.dirname(os.path.abspath(__file__))
LIBRARY, SOURCE, BIAS = "inlined.so", "inlined.cc", 0x7f0000000000
NAMES = "made/profil.names"
with open(f"{HERE}/../../tools/formats/formats.h", encoding="ascii") as table:
    FORMATS = re.findall(r"^\tformat\((\w+),", table.read(), re.M)
REPORTS = [["report", "made", "-f", name] for name in FORMATS if name != "gmon"]
REPORTS += [["report", "made", *options.split()] for options in
            ("--tree", "--callers=*", "--by=object", "--diff=other", "--diff=other --tree",
             "--function=twice", "-f gmon --object=*.so", "--wall --tree -n 0",
             "--wall -f callgrind")]
REPORTS += [["annotate", *options, "made", "has_calls"] for options in ([], ["-c"])]
REPORTS += [["annotate", "made", "twice"]]


def said(*arguments, status=0, root=()):
    done = subprocess.run([*root, REPORT, *arguments], capture_output=True, check=False)
    seen.append((done.stdout + done.stderr).decode(errors="replace"))
    assert done.returncode == status, f"status {done.returncode}"
    return done.stdout, done.stderr.decode()


def all_reports(root=()):
    """What they all print, and what they say."""
    seen.clear()
    made = [said(*arguments, root=root) for arguments in REPORTS]
    return [out for out, _ in made], "".join(err for _, err in made)


def symbol(name):
    symbols = subprocess.check_output(["nm", f"whole/{LIBRARY}"], text=True)
    return BIAS + int(re.search(rf"^(\w+) . {name}", symbols, re.M)[1], 16)


def make(directory, build_id=b"", skipped=0):
    """A profile of all of the library but its first bytes, and of calls in it. One
    function does nothing but wait, and not at its start."""
    text = re.search(r" \.text +PROGBITS +(\w+) \w+ (\w+) ", subprocess.check_output(
        ["readelf", "-SW", LIBRARY], text=True)).groups()
    first, size = (int(n, 16) for n in text)
    made = Profile().object(os.path.abspath(LIBRARY), BIAS, BIAS + 0x40000, BIAS, build_id=build_id)
    waits, end = symbol("_Z3sum"), symbol("has_calls")
    for at in range(BIAS + first + skipped, BIAS + first + size):
        head = 0 if at % 5 else KERNEL | SYSCALL
        if waits <= at < end:
            head = WAIT | SYSCALL
        if not waits <= at < waits + 8:
            made.stack(1 + at % 2, 1 + at % 3, at, at ^ 1, BIAS + first + 8, head=head)
    os.makedirs(directory, exist_ok=True)
    made.write(f"{directory}/prog.4711")


def replace(path, data):
    """By another file, as compilers do."""
    os.unlink(path)
    with open(path, "wb") as file:
        file.write(data)


def begin(keep=True, build_id=b""):
    for name in LIBRARY, SOURCE:
        shutil.copy(f"whole/{name}", name)
    shutil.rmtree("made", ignore_errors=True)
    make("made", build_id)
    if keep:
        said("keep", "made", "-o/dev/null")


def test_programs():
    with open(f"whole/{LIBRARY}", "rb") as file:
        whole = file.read()
    for what, change, known in (("removed", lambda: os.unlink(LIBRARY), b""),
            ("rebuilt", lambda: replace(LIBRARY, whole.replace(b"has_calls", b"had_calls")), b""),
            ("replaced", lambda: replace(LIBRARY, b"#!/bin/sh\n"), build_id()),
            ("stripped", lambda: subprocess.run(["strip", LIBRARY], check=True), build_id())):
        with test(f"a {what} program has the same reports"):
            begin(keep=False, build_id=known)
            before, _ = all_reports()
            for directory in "made", "other":
                said("keep", directory, "-o/dev/null")
            change()
            os.unlink(SOURCE)
            made, says = all_reports()
            differ = [one for one, old, new in zip(REPORTS, before, made) if old != new]
            assert not differ, differ
            assert says.count(": gone or changed: names are those kept") == len(made) + 2, says
    with test("without kept names a removed program has no names"):
        begin(keep=False)
        os.unlink(LIBRARY)
        assert b"has_calls" not in said("report", "made")[0]
    with test("a function that only calls others has names, too"):
        inner, caller = symbol("_Z3sum"), symbol("has_calls")
        calls = Profile().object(os.path.abspath(LIBRARY), BIAS, BIAS + 0x40000, BIAS)
        calls.stack(1, 3, inner, caller + 1).write("calls/prog.4711")
        shutil.copy(f"whole/{LIBRARY}", LIBRARY)
        assert b"has_calls" in said("keep", "calls", "--tree")[0]
    with test("names are kept whatever bytes the paths have"):
        names, calls = ("m\udcfcller", "a\1b", "a\nb", "aB"), Profile()
        for i, name in enumerate(names):
            shutil.copy(f"whole/{LIBRARY}", name)
            base = BIAS + (i << 20)
            calls.object(os.path.abspath(name), base, base + 0x40000, base).samples(
                symbol("has_calls") + (i << 20))
        calls.write("calls/prog.4711")
        said("keep", "calls", "-o/dev/null")
        for name in names:
            replace(name, b"#!/bin/sh\n")
        assert said("report", "calls")[0].count(b"has_calls") == len(names)
    with test("a program that is still there is read"):
        begin()
        assert said("report", "made")[1] == ""
    with test("another file of the same build is read"):
        begin(build_id=build_id())
        replace(LIBRARY, whole)
        assert said("report", "made")[1] == ""
    with test("another build is not read"):
        begin(keep=False, build_id=bytes(20))
        text, says = said("report", "made")
        assert b"has_calls" not in text and "not the file that was profiled: no names" in says
    with test("a changed source is shown as it was"):
        begin()
        before = said("annotate", "made", "has_calls")
        replace(SOURCE, b"nothing\n" * 40)
        assert said("annotate", "made", "has_calls") == before


def test_empty_root():
    """With profil-report, its libraries and the profiles, and nothing else."""
    enter = ["chroot", "root"] if os.geteuid() == 0 else ["unshare", "-r", "chroot", "root"]
    with test("a copy in an empty root has the same reports"):
        begin(keep=False)
        before, _ = all_reports()
        for path in [REPORT, *re.findall(r"(/\S+) \(0x", subprocess.check_output(
                ["ldd", REPORT], text=True))]:
            os.makedirs("root" + os.path.dirname(path), exist_ok=True)
            shutil.copy(path, "root" + path)
        for directory in "made", "other":
            said("keep", directory, "-o/dev/null")
            shutil.copytree(directory, f"root/{directory}")
        os.makedirs("root/proc/self")
        with open("root/proc/self/environ", "w", encoding="ascii") as options:
            options.write(f"ASAN_OPTIONS={os.environ['ASAN_OPTIONS']}\0")   # read there only
        made, _ = all_reports(enter)
        differ = [one for one, old, new in zip(REPORTS, before, made) if old != new]
        assert not differ, differ


def test_rights():
    with test("who cannot read a profile cannot read its names"):
        begin(keep=False)
        os.chmod("made/prog.4711", 0o600)
        said("keep", "made", "-o/dev/null")
        assert os.stat(NAMES).st_mode & 0o777 == 0o600
    os.chmod(".", 0o711)
    for keep, owner, mode, kept in (("keep", 0, 0o600, True), ("keep=65534", 0, 0o604, True),
            ("keep=65534", 0, 0o640, False), ("keep", 65534, 0o640, False))[os.geteuid() and 4:]:
        with test(f"{keep}, owner {owner}: a source with mode {mode:o} is kept: {kept}"):
            begin(keep=False)
            os.chown("made/prog.4711", owner, -1)
            os.chmod(SOURCE, mode)
            said(keep, "made", "-o/dev/null")
            os.unlink(SOURCE)
            assert (b"source not found" in said("annotate", "made", "has_calls")[0]) != kept


def test_directories():
    with test("two directories have the names of both"):
        begin(build_id=build_id())
        make("second", build_id(), 150)
        said("keep", "second", "-o/dev/null")
        before, _ = said("report", "-fcallgrind", "second", "made")
        os.unlink(LIBRARY)
        assert said("report", "-fcallgrind", "second", "made")[0] == before
    with test("names of a removed program can be kept again"):
        begin()
        first = said("report", "made")
        os.unlink(LIBRARY)
        said("keep", "made", "-o/dev/null")
        assert said("report", "made")[0] == first[0]


def refused(name, data, says):
    with test(name):
        with open(NAMES, "wb") as file:
            file.write(data)
        text, err = said("report", "made")
        assert b"has_calls" not in text
        assert f"profil: {NAMES}: {says}: its names are not used\n" in err


def test_damage():
    begin()
    os.unlink(LIBRARY)
    with open(NAMES, "rb") as file:
        good = file.read()
    contents = zlib.decompress(good[24:])
    refused("names of another version are refused", good[:8] + struct.pack("<I", 2) + good[12:],
            "another version of profil made it")
    refused("names of another byte order are refused",
            good[:12] + struct.pack(">I", 0x01020304) + good[16:],
            "wrong byte order: made on another kind of machine")
    refused("names with a huge size are refused",
            good[:16] + struct.pack("<Q", 1 << 40) + good[24:], "damaged")
    refused("names that end early are refused", good[:-5], "damaged")
    refused("a name that moves the cursor is refused", good[:24] + zlib.compress(
        contents.replace(b"has_calls\0", b"has\x1b[2Jls\0")), "damaged")
    with test("names are refused wherever they are cut"):
        for size in range(0, len(contents), 7):
            with open(NAMES, "wb") as file:
                file.write(good[:16] + struct.pack("<Q", size) + zlib.compress(contents[:size]))
            assert ": damaged: " in said("report", "made")[1]


def test_size():
    with test("names are at most 15% of a profile of a minute"):
        subprocess.run([sys.executable, "-B", f"{HERE}/large.py", "large/perl.1", "60000",
                        "--stacks=500", shutil.which("perl")], check=True)
        said("keep", "large", "-o/dev/null")
        names, profile = (os.path.getsize(f"large/{name}") for name in ("profil.names", "perl.1"))
        assert names <= 0.15 * profile, (names, profile)


class Silent(socketserver.BaseRequestHandler):
    """A server that does not answer."""
    asked = set()

    def handle(self):
        self.asked |= set(re.findall("/buildid/([0-9a-f]+)/", self.request.recv(4096).decode()))
        self.server.over.wait()


@contextlib.contextmanager
def server(handler, seconds):
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), handler) as made:
        made.over = threading.Event()
        threading.Thread(target=made.serve_forever).start()
        os.environ.update(DEBUGINFOD_URLS=f"http://127.0.0.1:{made.server_address[1]}",
                          DEBUGINFOD_TIMEOUT=seconds,
                          DEBUGINFOD_CACHE_PATH=os.path.abspath("cache"))
        try:
            yield
        finally:
            made.over.set()
            made.shutdown()


def test_server():
    made = Profile()
    for i in range(3):
        made.object(f"/none/{i}.so", 0x10000 << i, 0x11000 << i, build_id=bytes([i]) * 20)
        made.samples(0x10010 << i)
    made.write("three.1")
    with server(Silent, "5"):
        with test("--no-debuginfod asks no server"):
            said("report", "--no-debuginfod", "three.1")
            assert not Silent.asked
        with test("a silent server is asked for one object only"):
            assert "no answer within 5 s" in said("report", "three.1")[1]
            assert len(Silent.asked) == 1
    begin(keep=False, build_id=build_id())
    subprocess.run(["strip", LIBRARY], check=True)
    store = f"store/buildid/{build_id().hex()}"
    os.makedirs(store)
    shutil.copy(f"whole/{LIBRARY}", f"{store}/debuginfo")
    with server(functools.partial(http.server.SimpleHTTPRequestHandler, directory="store"),
                "100"), test("a server has names of a stripped program"):
        assert b"twice" not in said("report", "--no-debuginfod", "made")[0]
        assert b"twice(int)" in said("report", "made")[0]


def prepare():
    for directory in "other", "whole", "calls", "large":
        os.makedirs(directory)
    shutil.copy(f"{HERE}/fixtures/{SOURCE}", SOURCE)
    subprocess.run(["g++", "-O2", "-g", "-fPIC", "-shared", "-o", LIBRARY, SOURCE], check=True)
    for name in LIBRARY, SOURCE:
        shutil.move(name, "whole")
    begin(keep=False)
    make("other")


def test_clean_names():
    with test("objects with the same clean name in several directories have their own lists"):
        paths = [f"{os.getcwd()}/calls/{name}" for name in ("a\udce9.so", "a\u00e9.so")]
        for path in paths:
            shutil.copy(f"whole/{LIBRARY}", path)
        files = [f"clean/{n}/{name}" for n in "12" for name in ("p.1", "q.2")]
        for file, path in zip(files, paths + paths[::-1]):
            os.makedirs(os.path.dirname(file), exist_ok=True)
            Profile().object(path, BIAS, BIAS + 0x40000, BIAS, build_id=build_id()) \
                .samples(symbol("has_calls")).write(file)
        for n in "12":
            said("keep", f"clean/{n}", "-o/dev/null")
        said("report", files[0], files[2], files[3], files[1])


def build_id():
    return bytes.fromhex(re.search("Build ID: (.*)", subprocess.check_output(
        ["readelf", "-n", f"whole/{LIBRARY}"], text=True))[1])


main(prepare, test_programs, test_empty_root, test_rights, test_directories, test_damage, test_size,
     test_server, test_clean_names)
