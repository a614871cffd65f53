# SPDX-License-Identifier: LGPL-2.1-or-later
"""serve.py PROFIL-SERVE: what the server makes of hostile requests. In place of profil, a
script makes the profiles."""
import contextlib
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.append(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
# pylint: disable=wrong-import-position
from tap import finish, test  # noqa: E402

SERVER, TOKEN = os.path.abspath(sys.argv[1]), "0123456789abcdefXYZ"
PATH = "/debug/pprof/profile?pid=7&seconds="
# Process 404 is none, 8 is profiled for ever. Any other has a profile when the file "go" is there.
SCRIPT = """#!/bin/sh
case $1 in
report) echo made; exit ;;
--pid=8) trap '' TERM; echo "$*" >>log; exec sleep infinity ;;
--pid=404) echo 'profil: there is no process 404' >&2; exit 125 ;;
esac
trap 'echo ended >>log; exit 0' TERM
echo "$*" >>log
until [ -e go ]; do sleep 0.05; done
"""
HOST, BEARER = "Host: localhost\r\n", f"Authorization: Bearer {TOKEN}\r\n"
# METHOD PATH, headers, status.
TABLE = [(f"GET {PATH}{seconds}", HOST, 400)
         for seconds in ("0", "301", "-1", "1.5", "", "x", "99999999999999999999", "0x10")]
TABLE += [(f"GET /debug/pprof/profile{query}", HOST, 400)
          for query in ("", "?pid=", "?pid=/etc/passwd", "?pid=-1", "?pid=7/../8",
                        "?pid=4294967303")]
TABLE += [(f"GET {path}", HOST, 404)
          for path in ("/", "/etc/passwd", "/debug/pprof/../../etc/passwd", "/debug/pprof/heap",
                       "/debug/pprof/profile/..%2f..%2fetc/passwd")]
TABLE += [(f"GET {PATH}1", f"Host: {host}\r\n", 403)
          for host in ("evil.example", "localhost.evil.example", "127.0.0.1.evil.example:80",
                       "127.0.0.2", "")]
TABLE += [(f"GET {PATH}1", f"{HOST}{line}\r\n", 403)
          for line in ("Origin: http://localhost", "Sec-Fetch-Site: cross-site",
                       "Sec-Fetch-Site: same-site")]
TABLE += [(f"{method} {PATH}1", HOST, 405) for method in ("POST", "PUT", "DELETE", "OPTIONS")]
TABLE += [("GET /debug/pprof/", HOST, 200), ("GET /debug/pprof/", "Host: 127.0.0.1:1\r\n", 200),
          (f"HEAD {PATH}1", HOST, 200), ("GET /debug/pprof/profile?pid=404", HOST, 404)]


def read(name):
    path = pathlib.Path(name)
    return path.read_text(encoding="utf-8") if path.exists() else ""


def wait_until(condition):
    while not condition():
        time.sleep(0.05)


@contextlib.contextmanager
def serve(*options):
    """The server, and its port. At its end, it leaves nothing."""
    for name in ("log", "go"):
        pathlib.Path(name).unlink(missing_ok=True)
    with open("said", "wb") as said, subprocess.Popen(
            [os.path.abspath("profil"), "serve", "--listen=127.0.0.1:0", *options],
            executable=SERVER, stderr=said, env={**os.environ, "TMPDIR": os.getcwd()}) as server:
        wait_until(lambda: server.poll() is not None or "profile" in read("said"))
        try:
            yield server, int(re.search(r":(\d+)/", read("said"))[1])
        finally:
            server.terminate()
    assert server.returncode == 0
    assert not [name for name in os.listdir(".") if name.startswith("profil-serve")]


def connect(port, request="", headers=HOST, host="127.0.0.1"):
    """A connection with a whole request."""
    connection = socket.create_connection((host, port))
    connection.sendall(f"{request} HTTP/1.1\r\n{headers}\r\n".encode())
    return connection


def answer(connection):
    """The status, and all of the text."""
    text = b""
    with connection:
        while piece := connection.recv(65536):
            text += piece
    return int((text.split() or [0, 0])[1]), text.decode()


def requests():
    with serve() as (_, port):
        for request, headers, status in TABLE:
            with test(f"{status}: {request} {headers}".replace("\r\n", " ").strip()):
                assert answer(connect(port, request, headers))[0] == status


def tokens():
    pathlib.Path("token").write_text(TOKEN + "\n", encoding="ascii")
    os.chmod("token", 0o600)
    with test("only the whole token opens the server"), \
            serve("--token-file=token") as (_, port):
        for header, status in ((BEARER, 200), (BEARER.lower(), 403), ("", 403),
                               (BEARER[:-3] + "\r\n", 403), (BEARER[:-2] + "!\r\n", 403),
                               ("Authorization: Bearer \r\n", 403),
                               (f"Authorization: Basic {TOKEN}\r\n", 403),
                               (f"Authorization: Bearer {TOKEN * 100}\r\n", 403)):
            assert answer(connect(port, "GET /debug/pprof/", HOST + header))[0] == status, header
    with test("an open address without a token, or an open token, fails"):
        os.chmod("token", 0o604)
        with open("two", "w", opener=lambda *how: os.open(*how, 0o600), encoding="ascii") as two:
            two.write(f"{TOKEN}\n{TOKEN}\n")
        for options, why in (("--listen=0.0.0.0:0", "use --token-file"),
                             ("--token-file=two", "must be one line"),
                             ("--token-file=token", "other users"), ("--listen=x", "invalid"),
                             ("--listen=127.0.0.1:71597", "invalid")):
            done = subprocess.run([SERVER, "serve", options], check=False, text=True,
                                  stderr=subprocess.PIPE, stdout=subprocess.PIPE)
            assert done.returncode == 125 and why in done.stderr
    with test("without a token, another user is not heard"), serve() as (_, port):
        for host in "127.0.0.1", "::ffff:127.0.0.1":
            assert answer(connect(port, "GET /debug/pprof/", host=host))[0] == 200
        child = os.fork()
        if child == 0:
            if os.getuid() == 0:
                os.setresuid(65534, 65534, 65534)
            with contextlib.suppress(ConnectionError):
                os._exit(int(answer(connect(port, "GET /debug/pprof/"))[0] == 200))
            os._exit(0)
        assert os.waitpid(child, 0)[1] == (256 if os.getuid() else 0)


def profiles():
    with test("a profile is sent, and a fifth one at a time is not made"), serve() as (_, port):
        several = [connect(port, f"GET {PATH}300") for _ in range(4)]
        wait_until(lambda: read("log").count("--pid=7 --duration=300") == 4)
        status, text = answer(connect(port, f"GET {PATH}1"))
        assert status == 503 and "Retry-After: 10" in text
        several.pop().close()
        wait_until(lambda: "ended" in read("log"))
        pathlib.Path("go").touch()
        assert all(answer(each)[0] == 200 for each in several)
        assert answer(connect(port, f"GET {PATH}1"))[1].endswith("\r\n\r\nmade\n")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        with test(f"profiles end and leave nothing after {number.name}"):
            with contextlib.suppress(AssertionError), serve() as (server, port):
                several = [connect(port, f"GET {PATH}300") for _ in range(2)]
                wait_until(lambda: read("log").count("--pid=7") == 2)
                server.send_signal(number)
                server.wait()
            wait_until(lambda: read("log").count("ended") == 2)
            wait_until(lambda: not [n for n in os.listdir(".") if n.startswith("profil-serve")])
            assert server.returncode == (-9 if number == signal.SIGKILL else 0)
    with test("SIGHUP ends no server that nohup has begun"):
        old = signal.signal(signal.SIGHUP, signal.SIG_IGN)
        with serve() as (server, port):
            signal.signal(signal.SIGHUP, old)
            server.send_signal(signal.SIGHUP)
            time.sleep(0.5)
            assert answer(connect(port, "GET /debug/pprof/"))[0] == 200
    with test("a profil that SIGTERM does not end is killed"), serve() as (_, port), \
            connect(port, "GET /debug/pprof/profile?pid=8"):
        wait_until(lambda: "--pid=8" in read("log"))
    with test("the profile of a command that ends is sent"), \
            serve("sh", "-c", "until [ -e asked ]; do sleep 0.05; done") as (server, port):
        last = connect(port, "GET /debug/pprof/profile?seconds=300")
        wait_until(lambda: "--duration=300" in read("log"))
        pathlib.Path("asked").touch()
        time.sleep(1.5)
        pathlib.Path("go").touch()
        assert answer(last)[1].endswith("\r\n\r\nmade\n") and server.wait() == 0
    os.chmod("token", 0o600)
    with test("64 silent connections ending at once stop no server"), \
            serve("--token-file=token") as (_, port):
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(64)]
        assert all(connection.recv(1) == b"" for connection in silent)
        with connect(port, "GET /debug/pprof/", HOST + BEARER) as late:
            late.settimeout(20)
            assert late.recv(12) == b"HTTP/1.1 200"
    with test("100 silent connections are closed, and others served"), \
            serve() as (_, port):
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
        for connection in silent[::2]:
            connection.sendall(b"GET /debug")
        assert answer(connect(port, "GET /debug/pprof/"))[0] == 200
        assert answer(silent[0])[0] == 0


def main():
    with tempfile.TemporaryDirectory() as work:
        os.chdir(work)
        pathlib.Path("profil").write_text(SCRIPT, encoding="ascii")
        os.chmod("profil", 0o755)
        requests()
        tokens()
        profiles()
    sys.exit(finish())


main()
