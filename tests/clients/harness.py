# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the tests in the guest are made of: profiles of commands, and TAP."""
import contextlib
import glob
import os
import re
import resource
import subprocess
import sys
import time

import stacks

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
# pylint: disable=wrong-import-position
from tap import finish, seen, test  # noqa: E402,F401

CLIENTS, PROFIL, PRELOAD, OUT = (os.environ[name] for name in
                                 ("CLIENTS", "PROFIL", "PRELOAD", "OUT"))


def client(name):
    return f"{CLIENTS}/{name}"


def start(*command, env=None, limit=None, **options):
    """A process with more environment, and a limit (which, bytes)."""
    def limited():
        if limit:
            resource.setrlimit(limit[0], limit[1:] * 2)
    # pylint: disable=subprocess-popen-preexec-fn
    return subprocess.Popen(command, env={**os.environ, **(env or {})},
                            preexec_fn=limited, **options)


def status_of(process):
    """When it has ended: as a shell says it."""
    code = process.wait()
    return code if code >= 0 else 128 - code


def execute(*command, status=0, **options):
    """Runs it; its output, both kinds, as text."""
    process = start(*command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)
    text = process.communicate()[0].decode(errors="replace")
    seen.append(text)
    assert status_of(process) == status, f"status {process.returncode}"
    return text


def shell(command):
    return execute("/bin/sh", "-c", command)


def preloaded(*command, env=None, **options):
    """Runs a program with the library, and without profil."""
    return execute(*command, env={"LD_PRELOAD": PRELOAD, **(env or {})}, **options)


def traced(*command, env=None, **options):
    """Runs it under strace; its output, and the trace."""
    words = [word for item in (env or {}).items() for word in ("-E", "=".join(item))]
    text = execute("strace", "-f", "-o", "trace", *words, *command, **options)
    return text, read("trace")


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def remove(*paths):
    shell("rm -rf " + " ".join(paths))


def pids_of(name):
    """Of processes that run a program of this name."""
    pids = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):
            if os.path.basename(os.readlink(f"/proc/{pid}/exe")) == name:
                pids.append(int(pid))
    return pids


def wait_until(condition):
    while not condition():
        time.sleep(0.1)


def start_ready(directory, *command):
    """profil, whose command has said that it is ready."""
    remove("ready")
    with open("ready", "wb") as file:
        process = start(PROFIL, "-q", "-o", directory, *command, stdout=file)
    wait_until(lambda: "ready" in read("ready"))
    return process


@contextlib.contextmanager
def mounted(path, options):
    """A file system that is there for as long as it is needed."""
    os.makedirs(path, exist_ok=True)
    shell(f"mount {options} {path}")
    try:
        yield
    finally:
        shell(f"umount {path}")


def leave_room(directory, size):
    """A full disk but for so many bytes."""
    fill = f"{directory}/fill"
    with contextlib.suppress(OSError), open(fill, "wb", buffering=0) as file:
        while file.write(bytes(4096)):
            pass
    os.truncate(fill, os.stat(fill).st_size - size)


class Fit(stacks.Fit):
    """What is asked of stacks and samples."""
    def __init__(self, files, spare):
        super().__init__(files, spare)
        seen.append(self.text)

    def whole(self, percent):
        """So many of the ticks in records, of which there are some."""
        return self.complete * 100 >= self.ticks * percent > 0

    def in_records(self, percent):
        return self.ticks * 100 >= self.samples * percent


class Profile:
    """A directory of profiles; the table of functions is its text."""
    def __init__(self, directory):
        self.directory = directory
        self.out = self.err = b""
        run = subprocess.run([PROFIL, "report", "-n", "0", directory], check=False,
                             stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.text = run.stdout.decode(errors="replace")
        seen.append(self.text)

    def share(self, pattern):
        """Percent of functions or objects that match."""
        return sum(float(line.split("%")[0]) for line in self.text.splitlines()
                   if re.match(r" *[\d.]+%", line) and re.search(pattern, line))

    def has(self, *functions, least=10):
        return all(self.share(f" {name} ") >= least for name in functions)

    def number(self, pattern):
        found = re.search(pattern, self.text, re.M)
        return int(found[1]) if found else -1

    @property
    def samples(self):
        return self.number(r"^(\d+) samples,")

    def files(self, name=""):
        return [path for path in glob.glob(f"{self.directory}/*")
                if os.path.basename(path).startswith(name) and not path.endswith("/profil.names")]

    def longest(self, name=""):
        return max(os.stat(path).st_size for path in self.files(name))

    def fit(self, spare=16, name=""):
        return Fit(sorted(self.files(name)), spare)

    def whole(self):
        """No sample is lost, nor a stack that should be there."""
        return "\n0 lost, " in self.text and self.fit().good

    def commands(self):
        """Those with most samples first."""
        sums = {}
        folded = subprocess.run([PROFIL, "report", "-f", "folded", self.directory],
                                check=True, stdout=subprocess.PIPE).stdout.decode()
        for line in folded.splitlines():
            name = re.split("[; ]", line)[0]
            sums[name] = sums.get(name, 0) + int(line.split()[-1])
        return sorted(sums, key=lambda name: -sums[name])

    def stacks_of(self, name, permille, most, file=""):
        """Of so many samples all callers are known, in records of so many bytes."""
        fit = self.fit(name=file)
        print(f"# stacks of {name}: {fit.complete * 100 / fit.samples:.2f}% of "
              f"{fit.samples} complete, {fit.bytes / fit.records:.1f} bytes a record")
        assert fit.good and fit.complete * 1000 >= fit.samples * permille
        assert fit.bytes <= fit.records * most


def profile(directory, *command, status=0, **options):
    """Profiles a command quietly."""
    process = start(PROFIL, "-q", "-o", directory, *command, stdout=subprocess.PIPE,
                    stderr=subprocess.PIPE, **options)
    out, err = process.communicate()
    made = Profile(directory)
    made.out, made.err = out, err
    seen.append(err.decode(errors="replace"))
    assert status_of(process) == status, f"status {process.returncode}"
    return made
