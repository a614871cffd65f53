# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs that nothing is preloaded into, and processes that are found in /proc."""
import contextlib
import os
import shutil
import signal
import subprocess
import time

from harness import (PROFIL, Profile, client, execute, pids_of, profile, remove, shell, start,
                     status_of, test, write)

ALONE = client("alone-static")
SCOPE = "/proc/sys/kernel/yama/ptrace_scope"


def numbers(out):
    """Sums, and the CPU time of all in milliseconds."""
    lines = [line.split() for line in out.decode().splitlines()]
    return [line[0] for line in lines], sum(int(line[1]) for line in lines)


def is_right(made, program=ALONE, millions="40", processes=1):
    """The right sums, and as many samples as milliseconds, within 3 sigma and the start."""
    sums, ms = numbers(made.out)
    right = numbers(execute(program, millions, status=7).encode())[0]
    print(f"# {made.directory}: {made.samples} samples in {ms} ms")
    return sums == right * processes and abs(made.samples - ms) <= 3 * ms ** 0.5 + 3


def callers(made, function):
    """Percent of the stacks that have a function."""
    folded = execute(PROFIL, "report", "-f", "folded", made.directory)
    counts = [(f";{function};" in line, int(line.split()[-1])) for line in folded.splitlines()]
    return 100 * sum(n for has, n in counts if has) / sum(n for _, n in counts)


def commands():
    for kind in "static", "indexed", "musl", "go":
        with test(f"a program of kind {kind} is right and has its samples"):
            program = client("alone-" + kind)
            made = profile("alone.out", program, "40", status=7)
            assert made.err == b"" and is_right(made, program)
            assert made.share(r" (main\.)?three ") >= 60
        with test(f"and its stacks reach what calls the work ({kind})"):
            caller = "main.main.func1" if kind == "go" else "main"
            assert made.fit().good and callers(made, caller) >= 90
            # Where musl begins, nothing says that there are no more callers.
            assert kind == "musl" or made.fit().whole(95)
    with test("a script of a static interpreter has a profile"):
        write("script", f"#!{ALONE} 40\n")
        os.chmod("script", 0o755)
        made = profile("alone.out", "./script", status=7)
        assert made.err == b"" and is_right(made)
    with test("a static program that changes its user has none"):
        shutil.copy(ALONE, "setuid")
        os.chown("setuid", 65534, -1)
        os.chmod("setuid", 0o4755)
        text = execute(PROFIL, "-o", "none.out", "./setuid", "1", status=7)
        assert "changes its user" in text and not Profile("none.out").files()
    remove("setuid", "script", "none.out")


def kills():
    """All of profil's processes, at some moment."""
    with test("a static program is right though profil is killed"):
        right = numbers(execute(ALONE, "4", status=7).encode())[0]
        for moment in range(20):
            process = start(PROFIL, "-q", "-o", "killed.out", ALONE, "4", stdout=subprocess.PIPE)
            time.sleep(moment / 200)
            begun = pids_of("alone-static")
            for pid in pids_of("profil"):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            out = process.communicate()[0]
            # Killed before the command was started: there is nothing to be right.
            assert not (out or begun) or numbers(out)[0] == right


def following():
    for name, command in (("an empty environment", ("env", "-i", client("alone"), "40", "wait")),
                          ("a shell's static program", ("dash", "-c", f"{ALONE} 40 wait; exit 7"))):
        with test(f"--follow attaches to {name}"):
            assert is_right(profile("follow.out", "--follow", *command, status=7))
    with test("-p --follow profiles children, and the programs they become"):
        process = start("dash", "-c", f"sleep 2; {ALONE} 40 wait & {ALONE} 40 wait; wait; :",
                        stdout=subprocess.PIPE)
        execute(PROFIL, "-q", "--follow", "-o", "follow.out", "-p", str(process.pid))
        made = Profile("follow.out")
        made.out = process.communicate()[0]
        assert status_of(process) == 0 and len(made.files("alone")) == 2
        assert os.stat("follow.out/profil.names").st_mode & 0o777 == 0o600
        assert is_right(made, processes=2)


def times():
    for options in ("-d", "0.3"), ("--delay=0.1",), ("--delay=0.1", "-d", "0.3"):
        with test(f"a command is profiled for a part of its time: {' '.join(options)}"):
            made = profile("times.out", *options, client("alone"), "80", status=7)
            ms = numbers(made.out)[1]
            print(f"# {made.samples} samples in {ms} ms")
            assert made.err == b"" and 0 < made.samples < ms - 40
            assert made.share(" three ") >= 60


    with test("with -d, a program may limit its address space"):
        assert profile("times.out", "-d", "60", "dash", "-c", "ulimit -v 500000; x=$(seq 10000); "
                       "echo ${#x}").out == b"48893\n"


# io_uring_setup(2) with IORING_SETUP_SQPOLL, which makes a thread of the kernel's.
POLLED = """import ctypes
call = ctypes.CDLL(None).syscall(425, 8, (ctypes.c_uint32 * 30)(0, 0, 2, 0, 1))
print("ready" if call >= 0 else "none", flush=True)
while True:
    pass
"""


def polled():
    with test("-p attaches beside threads of io_uring, three times"):
        process = start(os.environ["PYTHON"], "-c", POLLED, stdout=subprocess.PIPE)
        assert process.stdout.readline() == b"ready\n"
        assert len(os.listdir(f"/proc/{process.pid}/task")) == 2
        for _ in range(3):
            execute(PROFIL, "-q", "-d", "0.1", "-o", "polled.out", "-p", str(process.pid))
        process.kill()
        process.communicate()


LOADED = "import ctypes; f = ctypes.CDLL('./gone').first; print('loaded', flush=True); f(-1)"


def removed():
    for function, file, command in (
            ("three", client("alone"), ("./gone", "100000")),
            ("first", client("plugins.d/first.so"), (os.environ["PYTHON"], "-c", LOADED))):
        with test(f"-p names functions of what was removed, {os.path.basename(file)}"):
            shutil.copy(file, "gone")
            process = start(*command, stdout=subprocess.PIPE)
            assert command[0] == "./gone" or process.stdout.readline() == b"loaded\n"
            os.unlink("gone")
            execute(PROFIL, "-q", "-d", "0.3", "-o", "gone.out", "-p", str(process.pid))
            process.kill()
            process.communicate()
            assert Profile("gone.out").share(f" {function} ") >= 60
    remove("gone.out")


def switch(process, signals):
    for _ in range(signals):
        time.sleep(0.2)
        process.send_signal(signal.SIGUSR2)


def signals():
    """The signal would kill the program."""
    for name, follow in ("its process", ()), ("its processes", ("--follow",)):
        with test(f"a signal begins and ends the profile of {name}"):
            process = start(PROFIL, "-q", *follow, "--signal=USR2", "-o", "switch.out",
                            client("alone"), "400", stdout=subprocess.PIPE)
            switch(process, 4)
            made = Profile("switch.out")
            ms = numbers(process.communicate()[0])[1]
            print(f"# {made.samples} samples in {ms} ms, {len(made.files('alone'))} profiles")
            assert status_of(process) == 7 and len(made.files("alone")) == 2
            assert 0 < made.samples < ms - 200 and made.share(" three ") >= 60
    with test("a signal to profil -p begins and ends the profile"):
        process = start(client("alone"), "400", stdout=subprocess.PIPE)
        profil = start(PROFIL, "--signal=USR2", "-o", "switch.out", "-p", str(process.pid),
                       stderr=subprocess.PIPE)
        assert f"kill -USR2 {profil.pid} ".encode() in profil.stderr.readline()
        switch(profil, 3)
        ms = numbers(process.communicate()[0])[1]
        profil.communicate()
        assert status_of(process) == 7 and 0 < Profile("switch.out").samples < ms - 100
        assert len(Profile("switch.out").files("alone")) == 2
    with test("profil -p ends though its parent ignores SIGCHLD"):
        process = start(client("alone"), "400", stdout=subprocess.PIPE)
        shell(f"trap '' CHLD; timeout -s KILL 20 {PROFIL} -d 0.2 -o child.out -p {process.pid}")
        process.communicate()
    with test("-p says that its process has executed a program since it last looked"):
        pid = start("dash", "-c", "trap 'exec sleep 9' USR1; while :; do :; done").pid
        text = shell(f"{PROFIL} -o child.out -p {pid} & sleep 0.5; kill -USR1 {pid}; "
                     f"sleep 0.05; kill $!; wait; kill {pid}")
        assert "has executed another program" in text
    with test("without a signal, profil says what is missing"):
        assert "is sent SIGUSR1" in execute(PROFIL, "--signal=USR1", "true")


@contextlib.contextmanager
def yama(scope):
    """Sets ptrace_scope for a while, and makes a directory that everybody can write to."""
    os.makedirs("anybody", exist_ok=True)
    os.chmod("anybody", 0o777)
    write(SCOPE, f"{scope}\n")
    try:
        yield
    finally:
        write(SCOPE, "0\n")


def tracing():
    nobody = {"user": 65534, "group": 65534, "extra_groups": []}
    out = "anybody/out"
    with test("a user's static command is profiled if only parents trace"), yama(1):
        execute(PROFIL, "-q", "-o", out, ALONE, "40", status=7, **nobody)
        assert Profile(out).samples > 10
    for scope in 1, 2:
        with test(f"-p says that nobody may trace, with scope {scope}"), yama(scope):
            process = start(ALONE, "40", "wait", stdout=subprocess.PIPE, **nobody)
            text = execute(PROFIL, "-o", out, "-p", str(process.pid), status=125, **nobody)
            assert f"ptrace_scope is {scope}: run profil as root" in text
            process.kill()
            process.communicate()
    with test("a static command runs without one where nobody traces"), yama(2):
        text = execute(PROFIL, "-o", out, ALONE, "40", status=7, **nobody)
        assert "see kernel.yama.ptrace_scope" in text


def alone():
    commands()
    kills()
    following()
    times()
    polled()
    removed()
    signals()
    tracing()
