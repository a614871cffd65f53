# SPDX-License-Identifier: LGPL-2.1-or-later
"""profil serve, which fetches profiles of running programs, and profil --rotate."""
import fcntl
import glob
import gzip
import os
import re
import shutil
import signal
import threading
import time
import urllib.error
import urllib.request

from harness import (PROFIL, Profile, client, execute, pids_of, read, remove, shell, start,
                     status_of, test, wait_until, write)

HOT, WORK, PATH = client("hot"), "1000000", "/debug/pprof/profile"
FOREIGN = "always.out/20250101T000000Z"


def serve(*words):
    """The server, and where it is."""
    with open("said", "wb") as said:
        server = start(PROFIL, "serve", "--listen=127.0.0.1:0", *words, stderr=said)
    wait_until(lambda: "profile" in read("said"))
    return server, re.search(r"http://[\d.:]+", read("said"))[0] + PATH


def ask(url):
    try:
        with urllib.request.urlopen(url) as answer:
            return answer.status, gzip.decompress(answer.read())
    except urllib.error.HTTPError as error:
        return error.code, error.read()


def processes():
    hot = start(HOT, WORK)
    server, url = serve()
    with test("a running program is served, and an idle one"):
        idle = start("/bin/sleep", "1000")
        for process, word in (hot, b"three"), (idle, b"cpu"):
            status, profile = ask(f"{url}?seconds=1&pid={process.pid}")
            assert status == 200 and word in profile and process.poll() is None
        assert not idle.kill() and idle.wait()
    with test("a profiled process is a conflict, a missing one not found"):
        first = threading.Thread(target=ask, args=(f"{url}?seconds=60&pid={hot.pid}",))
        first.start()
        wait_until(lambda: "profil-serve." in read(f"/proc/{hot.pid}/maps"))
        assert ask(f"{url}?seconds=1&pid={hot.pid}")[0] == 409
        assert ask(f"{url}?seconds=1&pid=999999")[0] == 404
    with test("SIGTERM ends the server and its profiles, leaving nothing"):
        server.terminate()
        first.join()
        assert status_of(server) == 0 and not pids_of("profil")
        assert "profil" not in read(f"/proc/{hot.pid}/maps")
        assert not glob.glob("/tmp/profil-serve*") and hot.poll() is None
    hot.kill()
    hot.wait()


def viewer():
    server, url = serve(HOT, WORK)
    with test("go tool pprof fetches the profile of a command"):
        text = execute(os.environ["PPROF"], "-top", f"{url}?seconds=2",
                       env={"HOME": os.getcwd(), "PPROF_TMPDIR": "fetched"})
        assert re.search(r"% +three$", text, re.M)
    with test("a signal is for the command, whose status the server has"):
        server.terminate()
        assert status_of(server) == 143 and not pids_of("hot")


def directories():
    """But for what others have put there, one with a time as its name."""
    return sorted(set(glob.glob("always.out/*")) - {FOREIGN})


def rotation():
    hot = start(HOT, WORK)
    os.makedirs(FOREIGN)
    write(f"{FOREIGN}/backup", "")
    for keep, limit in (1, "1s"), (2, "1h,32k"):
        remove(*directories())
        with test(f"--rotate={limit} --keep={keep} removes old directories"), \
                open("said", "wb") as said:
            always = start(PROFIL, f"--rotate={limit}", f"--keep={keep}", "-o", "always.out", "-p",
                           str(hot.pid), stderr=said)
            wait_until(directories)
            first, seen = directories()[0], set()
            write(f"{first}/notes", "")     # only that one cannot be removed
            with open(f"{first}/locked.1", "w") as locked:      # that, while it is
                fcntl.flock(locked, fcntl.LOCK_EX)
                wait_until(lambda: seen.update(directories()) or len(seen) > 5)
                assert sorted(os.listdir(first)) == ["locked.1", "notes"]
                assert len(directories()) <= keep + 2 and "cannot" not in read("said")
            wait_until(lambda: read("said").count("cannot remove") == 1)
            assert os.listdir(first) == ["notes"]
            shutil.rmtree(first)
            always.send_signal(signal.SIGINT)
            assert status_of(always) == 0 and hot.poll() is None and len(directories()) == keep
            assert all(re.fullmatch(r"always.out/\d{8}T\d{6}Z", name) and
                       os.path.exists(f"{name}/profil.names") for name in directories())
            assert os.path.exists(f"{FOREIGN}/backup")
    assert Profile(directories()[0]).share(" three ") > 30
    with test("--rotate goes on in the old directory without another"), \
            open("said", "wb") as said:
        always = start(PROFIL, "--rotate=1s", "--follow", "-o", "always.out", "-p",
                       str(hot.pid), stderr=said)
        wait_until(lambda: len(directories()) == 3)
        os.rename("always.out", "away")
        wait_until(lambda: "going on in" in read("said"))
        time.sleep(2.5)
        os.rename("away", "always.out")
        wait_until(lambda: len(directories()) > 4)
        assert read("said").count("cannot make") == 1 and always.poll() is None
        always.send_signal(signal.SIGINT)
        assert status_of(always) == 0
    hot.kill()
    hot.wait()
    remove("always.out")
    with test("a directory of directories has one profil"):
        idle = start("/bin/sleep", "1000")
        words = PROFIL, "--rotate=1h,1M", "-o", "always.out"
        always = start(*words, "-p", str(idle.pid))
        wait_until(directories)
        text = execute(*words, "-p", str(os.getpid()), status=125)
        assert "another profil --rotate uses always.out" in text
        always.terminate()
        assert status_of(always) == 0 and idle.poll() is None
        idle.kill()
        idle.wait()
    remove("always.out", "said", "fetched")


def serving():
    shell("ip link set lo up")
    processes()
    viewer()
    rotation()
