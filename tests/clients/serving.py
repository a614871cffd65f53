# SPDX-License-Identifier: LGPL-2.1-or-later
"""profil serve, which fetches profiles of running programs."""
import glob
import gzip
import os
import re
import threading
import urllib.error
import urllib.request

from harness import (PROFIL, Profile, client, execute, pids_of, read, remove, shell, start,
                     status_of, test, wait_until)

HOT, WORK, PATH = client("hot"), "1000000", "/debug/pprof/profile"


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
        status, profile = ask(f"{url}?seconds=1&pid={hot.pid}")
        assert status == 200 and b"three" in profile
        idle = start("/bin/sleep", "1000")
        status, profile = ask(f"{url}?seconds=1&pid={idle.pid}")
        idle.kill()
        assert status == 200 and b"cpu" in profile and idle.wait()
    with test("one that is profiled already is a conflict, one that is none not found"):
        first = threading.Thread(target=ask, args=(f"{url}?seconds=60&pid={hot.pid}",))
        first.start()
        wait_until(lambda: "profil-serve." in read(f"/proc/{hot.pid}/maps"))
        assert ask(f"{url}?seconds=1&pid={hot.pid}")[0] == 409
        assert ask(f"{url}?seconds=1&pid=999999")[0] == 404
    with test("SIGTERM ends the server and its profiles, and nothing is left"):
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
    with test("a signal is for the command, and its status that of the server"):
        server.terminate()
        assert status_of(server) == 143 and not pids_of("hot")


def serving():
    shell("ip link set lo up")
    processes()
    viewer()
