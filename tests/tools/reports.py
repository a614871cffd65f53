# SPDX-License-Identifier: LGPL-2.1-or-later
"""What profil-report makes of files: PROFIL-REPORT and FIXTURES are the program's arguments."""
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(1, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
# pylint: disable=wrong-import-position
from profile_file import Profile    # noqa: E402
from tap import finish, ok, seen, test   # noqa: E402,F401

# What a sanitizer finds is no status that a test waits for. At its end it frees nothing.
os.environ.update(ASAN_OPTIONS="exitcode=99:detect_leaks=0", UBSAN_OPTIONS="exitcode=99")
REPORT, FIXTURES = map(os.path.abspath, sys.argv[1:3])
# Functions of a program that is nowhere are its pages.
MAIN, ONE, TWO, LEAF = 0x401010, 0x402020, 0x403030, 0x404040


def main(*parts):
    """Runs them in a directory of their own, and exits."""
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        for part in parts:
            part()
        os.chdir("/")
    sys.exit(finish())


def prog(**fields):
    return Profile(**fields).object("/none/prog", 0x401000, 0x408000)


def run(*options, path="prog.4711", status=0, binary=False):
    """What it writes, and what it says on stderr."""
    done = subprocess.run([REPORT, "report", *options, path], check=False,
                          capture_output=True, timeout=300)
    out, said = (text.decode(errors="surrogateescape") for text in (done.stdout, done.stderr))
    seen.append((out + said).encode(errors="replace").decode())
    assert done.returncode == status, f"status {done.returncode}"
    return done.stdout if binary else out, said


def used_by(*arguments):
    """Its status, and what it has used: ru_maxrss are KiB."""
    pid = os.posix_spawn(REPORT, [REPORT, *arguments], os.environ)
    return os.wait4(pid, 0)[1:]


def folded(*options, **more):
    """Stacks, outermost function first, and their samples."""
    lines = run("-f", "folded", *options, **more)[0].splitlines()
    return {line.rsplit(" ", 1)[0]: int(line.rsplit(" ", 1)[1]) for line in lines}


def costs(*options, **more):
    """Samples as callgrind has them: object, function, address, line and number."""
    text, _ = run("-f", "callgrind", *options, **more)
    name = {}
    for before, line in zip([""] + text.splitlines(), text.splitlines()):
        place = re.fullmatch(r"0x([0-9a-f]+) (\d+) (\d+)", line)
        if place and not before.startswith("calls="):
            yield (os.path.basename(name["ob"]), name["fn"], int(place[1], 16),
                   int(place[2]), int(place[3]))
        name.update([line.split("=", 1)] if re.match("(ob|fn)=", line) else ())
