# SPDX-License-Identifier: LGPL-2.1-or-later
"""What is in the way of a profile: other processes, limits, disks, no device."""
import ctypes
import glob
import os
import re
import resource
import shutil
import signal

from harness import (OUT, PRELOAD, PROFIL, Profile, client, execute, leave_room, mounted,
                     pids_of, preloaded, profile, read, remove, shell, start, start_ready,
                     test, traced, wait_until, write)
from usual import HOT, gprof_share

TRUE = client("true")
PARAMETERS = "/sys/module/profil/parameters"


def runs(directory, *command, **options):
    """profil, as people run it: what it and the table say."""
    return execute(PROFIL, "-o", directory, *command, **options)


def share(text, name):
    """Percent of a function in a table."""
    found = re.search(rf"^ *([\d.]+)%.* {name} ", text, re.M)
    return float(found[1]) if found else 0


# --- processes ----------------------------------------------------------------------

def cores():
    with test("a core has nothing of a profile, even of a removed one"), \
            mounted("core.d", "-t tmpfs -o size=16m tmpfs"):
        execute(PROFIL, "-q", "-o", "core.out", "dash", "-c",
                "rm -r core.out; cd core.d && ulimit -c unlimited && kill -QUIT $$", status=131)
        assert 0 < os.stat("core.d/core").st_blocks * 512 < 4096 << 10


def end_late(*options):
    """A process that outlives its command, and ends by exit()."""
    remove("late", "end")
    os.mkfifo("late")
    os.mkfifo("end")
    execute(PROFIL, "-q", "-o", "late.out", *options, "dash", "-c",
            f"(read -r go <late; {HOT} 40) >/dev/null 2>&1 3>end &")
    # During exec(), /proc does not tell what it runs.
    with open("end", "rb") as end:
        write("late", "go\n")
        end.read()
    wait_until(lambda: not pids_of("hot") + pids_of("dash"))


def daemon_without_samples():
    text = runs("daemon.out", "-r", "clock", "dash", "-c", f"{HOT} 0 wait >/dev/null 2>&1 &")
    os.kill(pids_of("hot")[0], signal.SIGKILL)
    wait_until(lambda: not pids_of("hot"))
    remove("daemon.out")
    return "no samples yet, but a process still runs: use profil report daemon.out" in text


def outliving():
    with test("a daemon without samples yet is told from no profile"):
        assert any(daemon_without_samples() for _ in range(20))  # by chance, its start has one
    with test("a process that outlives its command is said to run"):
        start_ready("late.out", "dash", "-c", f"{HOT} 40 wait &").wait()
        made = Profile("late.out")
        assert "\n1 process still runs\n" in made.text
        assert made.share(" three ") >= 60
    with test("its file stays when another command is profiled there"):
        assert len(profile("late.out", HOT, "1").files("hot")) == 2
    with test("when it was killed, the report reads its long file"):
        os.kill(pids_of("hot")[0], signal.SIGKILL)
        wait_until(lambda: not pids_of("hot"))
        before = os.listdir("late.out")
        made = Profile("late.out")
        assert made.share(" three ") >= 60 and "still run" not in made.text
        assert made.longest() > 1 << 36 and os.listdir("late.out") == before
    for options in ("--no-stacks",), ():
        with test(f"one that ends by exit() cuts it itself {' '.join(options)}".rstrip()):
            end_late(*options)
            made = Profile("late.out")
            assert made.longest("hot") < 100000
            assert made.share(" three ") >= 60 and made.whole()
            if not options:
                assert made.fit().in_records(98)
                assert made.number(r"^(\d+) samples with all callers, ") * 100 >= made.samples * 98
    # The subshell ends by _exit().
    command = "dash", "-c", f"{HOT} 40; ({HOT} 40; :); :"
    with test("files of ended processes have no holes"):
        assert has_no_holes(profile("small.out", *command))
    with test("nor have those of processes without profil"):
        preloaded(*command, env={"PROFIL_DIRECTORY": f"{OUT}/alone.d"})
        made = Profile("alone.d")
        assert has_no_holes(made) and made.share(" three ") >= 60 and made.whole()
    with test("a cancelled thread ends such a process by _exit()"):
        preloaded(HOT, "1", "cancelled", env={"PROFIL_DIRECTORY": f"{OUT}/end.d"}, status=3)


def has_no_holes(made):
    found = [os.stat(path) for path in made.files()]
    return len(found) == 4 and all(one.st_size <= one.st_blocks * 512 for one in found)


def together():
    with test("of two in one directory, none removes the other's files"):
        process = start_ready("both.out", HOT, "40", "wait")
        text = execute(PROFIL, "-q", "-o", "both.out", "dash", "-c", f"{TRUE}; {TRUE}")
        made = Profile("both.out")
        assert "both.out: another profil uses this directory" in text
        assert len(made.files("hot")) == 1 and len(made.files("true")) == 2
        os.kill(pids_of("hot")[0], signal.SIGKILL)
        process.wait()
        assert Profile("both.out").share(" three ") >= 60
    with test("what is profiled in what is profiled leaves the rest"):
        made = profile("both.out", "dash", "-c", f"{TRUE}; {PROFIL} -q -o both.out {HOT} 40; :")
        assert [len(made.files(name)) for name in ("dash", "true", "hot")] == [1, 1, 1]
        assert made.share(" three ") >= 60


# --- what cannot be done --------------------------------------------------------------

def programs_without():
    """Programs that run without a profile, and what is said of them."""
    for name in "setuid", "sudo":
        shutil.copy(TRUE, name)
        os.chown(name, 65534, -1)
        os.chmod(name, 0o4755)
    for command, said in (((client("hot-32"), "1"), "different word size: it runs without a profile"),
            (("./setuid",), "changes its user or group.*: use a copy, or run profil as root"),
            (("./sudo",), "put sudo first: sudo profil COMMAND")):
        with test(f"{os.path.basename(command[0])} runs, and its kind is said"):
            remove("none.out")
            assert re.search(said, runs("none.out", *command))
            assert not Profile("none.out").files()
    with test("a directory that cannot be made is said"):
        assert re.search("/proc/none: .*: .*hot runs without a profile",
                         runs("/proc/none", HOT, "1"))
    with test("without its library a command runs, and one line says so"):
        os.makedirs("alone/tools", exist_ok=True)
        for name in PROFIL, PROFIL + "-report":
            shutil.copy(name, "alone/tools")
        text = execute("alone/tools/profil", "-o", "none.out", HOT, "1")
        remove("alone")
        assert re.fullmatch(".*libprofil-preload.so: No such file.*: "
                            ".*hot runs without a profile\n", text)


def rooms():
    for name, size, taken, millions, said in (("a full disk", 12, 0, 300, "disk full"),
            ("a disk without any room", 4, 4096, 1, "No space left on device"),
            ("a disk with too little room", 4, 0, 40, "new: no samples: .*disk full")):
        with test(f"{name} is said, and the program runs"), \
                mounted("full", f"-t tmpfs -o size={size}k tmpfs"):
            write("full/taken", "x" * taken)
            text = runs("full/new", HOT, str(millions))
            assert re.search(said, text) and (size < 12 or share(text, "three") >= 60)
    with test("a file system the kernel does not wait for is said"):
        # A FUSE that root is not to see needs nobody who answers.
        os.makedirs("fuse", exist_ok=True)
        shell("mount -t fuse -o fd=3,rootmode=40000,user_id=65534,group_id=65534 none "
              "fuse 3<>/dev/fuse")
        text = runs("fuse", HOT, "1")
        shell("umount -l fuse")
        assert re.search("FUSE file system.*hot runs without a profile", text)
    with test("a file without room for more samples is said"):
        made = profile("short.out", "-s", "0100", HOT, "40")
        assert made.samples == 100 and " full: later " in made.text
    with test("a limit of file size that is too small is said"):
        assert "File too large: hot runs without a profile" in \
            runs("small.out", HOT, "1", limit=(resource.RLIMIT_FSIZE, 16 << 9))


def times():
    with test("without a sample, the CPU time is said"):
        for _ in range(5):
            remove("none.out")
            text = runs("none.out", "-r", "clock", TRUE)
            if re.fullmatch(r"profil: no samples in 0\.0\d* s of CPU time: "
                            r"let it run for longer\n", text):
                break
        else:
            assert False, text
    with test("only time of programs without a profile is said"):
        os.makedirs("jail", exist_ok=True)
        shutil.copy(client("hot-static"), "jail")
        text = runs("jail.out", "dash", "-c", "chroot jail /hot-static 400; :")
        remove("jail")
        assert re.search(r"[\d.]* s of [\d.]* s of CPU time are in no profile", text)
        assert "no profile" not in runs("whole.out", HOT, "400")
    with test("where the fast clock is restricted, every tick is said"):
        write(f"{PARAMETERS}/restrict_fastprof", "1")
        text = runs("tick.out", HOT, "100")
        write(f"{PARAMETERS}/restrict_fastprof", "0")
        assert "250 samples a second (every tick)" in text
    with test("a clock that is set meanwhile does not change the time"):
        step = "import time; time.clock_settime(time.CLOCK_REALTIME, time.time() {} 3600)"
        for sign in "+-":
            text = runs("clock.out", os.environ["PYTHON"], "-c", step.format(sign))
            assert re.search(r"^\d\.\d* s from start to end", text, re.M), text


def limits():
    programs_without()
    rooms()
    times()


# --- disks ------------------------------------------------------------------------------

def disks():
    """Page faults that a disk has to answer."""
    shell("dd if=/dev/zero of=image bs=1M count=8 && mkfs.ext4 -q image")
    with mounted("disk", "-o loop image"):
        with test("a file on ext4 has all samples"):
            made = profile("disk/profile", HOT, "200")
            assert made.whole() and 69 <= made.share(" three ") <= 81
        with test("a full ext4 is said, and has what fitted"):
            leave_room("disk", 53248)
            text = runs("disk/full", HOT, "1500")
            assert "disk full" in text and share(text, "three") >= 60
            made = Profile("disk/full")
            assert made.fit(100000).good and "damaged" not in text + made.text
    remove("image")


def solid():
    """File systems whose files have no holes."""
    shell("dd if=/dev/zero of=image bs=1M count=64 && mkfs.vfat image")
    with mounted("disk", "-o loop image"), \
            test("files on a disk without holes do not take all of it"):
        made = profile("disk/profile", "dash", "-c", f"for i in 1 2 3; do {HOT} 20; done; :")
        assert made.whole() and made.share(" three ") >= 60
        assert len(made.files("hot")) == 3
    # In memory that is never given back, reading a hole takes it, too.
    with mounted("disk", "-t ramfs ramfs"), \
            test("where nobody can tell what is a hole, there are none"):
        made = profile("disk/profile", HOT, "40")
        assert made.whole() and made.share(" three ") >= 60
        assert made.longest() < 9000000
    remove("disk", "image")


# --- the device -------------------------------------------------------------------------

def says(why):
    """Why there is no profile; the program runs all the same."""
    assert re.search(f"/dev/profil: {why}.*: .*true runs without a profile$",
                     runs("message.out", TRUE), re.M)
    assert re.search(f"^libprofil-preload: /dev/profil: {why}.*: true runs without",
                     preloaded(TRUE), re.M)


def messages():
    with test("that profiling is switched off is said of the device"):
        write(f"{PARAMETERS}/enabled", "N")
        says("the administrator has switched profiling off")
        write(f"{PARAMETERS}/enabled", "Y")
    with test("so is it that there are too many profiles"):
        # PR_CAPBSET_DROP of CAP_SYS_RESOURCE, for all programs from now on.
        assert ctypes.CDLL(None).prctl(24, 24, 0, 0, 0) == 0
        most = read(f"{PARAMETERS}/max_profiles")
        write(f"{PARAMETERS}/max_profiles", "0")
        says("this user has as many profiles as the module.s max_profiles allows")
    with test("a child that gets no profile has no file, and is counted"):
        write(f"{PARAMETERS}/max_profiles", "1")
        made = profile("one.out", client("forks-pg"), "4", env={"GMON_OUT_PREFIX": f"{OUT}/child"})
        write(f"{PARAMETERS}/max_profiles", most)
        assert len(made.files()) == 1 and "4 processes were refused a profile" in made.text
        # Each has ended well, and left its own.
        assert len(glob.glob("child.*")) == 5
        remove("child.*")
    with test("without call stacks there is a profile, and a line says so"):
        write(f"{PARAMETERS}/stacks", "N")
        text = runs("stackless.out", TRUE)
        write(f"{PARAMETERS}/stacks", "Y")
        said = re.findall("/dev/profil: .*call stacks.*", text)
        assert len(said) == 1, text
        assert said[0].endswith("true runs without them"), text
    with test("where there is no device, there may be a module"):
        os.rename("/dev/profil", "/dev/elsewhere")
        says("not there: the kernel module.* is not loaded")
        os.rename("/dev/elsewhere", "/dev/profil")
    with test("what forbids to open the device is told apart"):
        text, _ = traced("-P", "/dev/profil", "-e", "inject=openat:error=EPERM", TRUE,
                         env={"LD_PRELOAD": PRELOAD})
        assert re.search("^libprofil-preload: /dev/profil: Operation not permitted: ", text, re.M)


def without_module():
    shell("rmmod profil")
    with test("without the module a command runs, and one line says so"):
        assert re.fullmatch(".*kernel module is not loaded.*runs without a profile\n",
                            runs("none.out", HOT, "1"))
    with test("without the module libc's profil() is used"):
        text = preloaded(client("own"), "profil")
        assert re.search("^[1-9][0-9]* samples 0 signals$", text, re.M)
        assert text.count("libc profiles with SIGPROF instead") == 1
    with test("without the module -pg programs write libc's gmon.out"):
        remove("gmon.out")
        preloaded(client("hot-pg"), "300")
        assert gprof_share("hot-pg", "gmon.out", "three") >= 60
