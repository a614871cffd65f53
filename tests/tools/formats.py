# SPDX-License-Identifier: LGPL-2.1-or-later
"""formats.py PROFIL-REPORT FIXTURES: that all who name the report formats name those of the
table in tools/formats/formats.h, and the synopsis all options; and that 10 million
samples in each of them, or a million with stacks, take little memory, and each sample
more few instructions. In TAP."""
import os
import re
import shutil
import subprocess
import sys

from reports import REPORT, main, ok, used_by

HERE = os.path.dirname(os.path.abspath(__file__))
TOP = os.path.dirname(os.path.dirname(HERE))
MOST = 300000   # KiB
GROWTH = 250    # bytes
# For each sample more, with a fifth of a stack of its own.
INSTRUCTIONS = {"text": 4100, "pprof": 6200, "html": 10500}


def read(path):
    with open(os.path.join(TOP, path), encoding="utf-8") as file:
        return file.read()


def between(text, start, end, pattern):
    """All of PATTERN between a line with START and the next with END."""
    part = re.search(rf"^[^\n]*{start}[^\n]*\n.*?^[^\n]*{end}", text, re.M | re.S)
    return re.findall(pattern, part[0], re.M) if part else []


def check_names():
    usage = subprocess.check_output([REPORT, "report", "--help"], text=True)
    manual = read("man/profil.1")
    summary = between(usage, "--format=FORMAT", "--html", r".*")
    summary = re.sub(r".*FORMAT|\([^)]*\)|,|\n", " ", "\n".join(summary[:-1]))
    for who, names in (
            ("each format has a file of its name", [name for name in FORMATS
              if os.path.exists(f"{TOP}/tools/formats/{name}.c")]),
            ("the summary of options names the formats", re.sub(r"--html.*", "", summary).split()),
            ("the manual page describes the formats",
             between(manual, r"\.It Fl f , Fl -format", r"\.El", r"^\.It Cm (\w+)")),
            ("a manual page says what they look like",
             between(read("man/profil-formats.5"), r"\.Ss Formats", r"\.El",
                     r"^\.It Cm (\w+)")),
            ("the shell completes the formats",
             between(read("tools/profil.bash"), r"-f \| --format", ";;", r"^\t\t\t([a-z0-9]+)$"))):
        ok(names == FORMATS, who, f"it has {names}, and not {FORMATS}")
    # What only has a long name.
    options = re.findall(r"^ {6}--([a-z]+)", usage, re.M)
    synopsis = manual.split(".Sh SYN")[1].split(".Sh DESC")[0]
    missing = [one for one in options if not re.search(rf"^\.Op Fl -{one}\b", synopsis, re.M)]
    ok(options and not missing, "the synopsis has all options", f"not {missing}")


def bounded(name, *options):
    """A report takes no more memory than MOST; the seconds are only said."""
    status, used = used_by("report", "-o", "out", *options)
    ok(status == 0 and used.ru_maxrss < MOST,
       f"{name}: {used.ru_maxrss} KiB, {used.ru_utime + used.ru_stime:.2f} s")


def instructions(*options):
    said = subprocess.run(
        ["valgrind", "--tool=cachegrind", "--cache-sim=no", "--cachegrind-out-file=/dev/null",
         REPORT, "report", "-o", "out", *options], check=True, capture_output=True, text=True)
    return int(re.search(r"I +refs: +(\S+)", said.stderr)[1].replace(",", ""))


def check_growth(large, objects, formats):
    """With twice as many processes and stacks, memory grows by so much per sample."""
    for n in 10, 20:
        os.mkdir(f"of{n}")
        subprocess.run([*large, f"of{n}/prog", "10000", "--stacks=2000", f"--processes={n}",
                        *objects], check=True)
    for name in formats:
        small, big = (used_by("report", "-o", "out", "-f", name, f"of{n}")[1].ru_maxrss
                      for n in (10, 20))
        each = (big - small) * 1024 / 100000
        ok(each < GROWTH, f"{name}: {each:.0f} bytes for each sample more", f"{small} {big}")
    for name, most in INSTRUCTIONS.items():
        each = (instructions("-f", name, "of20") - instructions("-f", name, "of10")) / 100000
        ok(each < most, f"{name}: {each:.0f} instructions for each sample more")


def check_sizes():
    perl = shutil.which("perl")
    libc = re.search(r"libc\.so\S* => (\S+)", subprocess.check_output(["ldd", perl], text=True))[1]
    objects = [perl, os.path.realpath("/usr/bin/python3"), libc]
    large = [sys.executable, "-B", f"{HERE}/large.py"]
    subprocess.run([*large, "large.1", "10000000", *objects], check=True)
    subprocess.run([*large, "stacks.1", "1000000", "--stacks=500", *objects], check=True)
    for name in FORMATS:
        bounded(f"{name} of 10 million samples", "-f", name, "large.1")
        bounded(f"{name} of a million stacks", "-f", name, "stacks.1")
    check_growth(large, objects, ("text", "pprof", "html"))
    bounded("the tree of a million stacks", "--tree", "-n", "0", "stacks.1")


FORMATS = re.findall(r"^\tformat\((\w+),", read("tools/formats/formats.h"), re.M)
main(check_names, check_sizes)
