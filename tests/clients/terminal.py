# SPDX-License-Identifier: LGPL-2.1-or-later
"""profil top in a terminal, which is a window of tmux."""
import os
import re
import signal

from harness import PROFIL, client, execute, pids_of, remove, start, test, wait_until

HOT, WORK = client("hot"), "1000000"
TOP = PROFIL, "top", "-o", "top.out"
END = 'echo "ended $?"; stty -g | cmp - modes && echo "sa"me'


def tmux(*words):
    return execute("tmux", "-L", "top", "-f", "/dev/null", *words)


def until(pattern):
    """What is there when the screen has it."""
    wait_until(lambda: re.search(pattern, tmux("capture-pane", "-p"), re.M))
    return re.search(pattern, tmux("capture-pane", "-p"), re.M)


def seconds():
    return float(until(r"% +([\d.]+)  three .* hot").group(1))


def run(*command):
    """In a shell, which says at the end if the terminal is in the same modes."""
    tmux("send-keys", "clear; stty -g >modes; " + " ".join(command) + "; " + END, "Enter")


def ended(status):
    text = until(rf"(?s)(.*)^ended {status}\nsame").group(1)
    assert tmux("display-message", "-p", "#{alternate_on}") == "0\n"
    return text.replace("\n", "")


def command():
    with test("top shows a function that grows, its callers and threads"):
        run(*TOP, HOT, WORK)
        first = seconds()
        wait_until(lambda: seconds() > first)
        for key, shown in (("Enter", "% .*  work .* hot"), ("BSpace", "^functions"),
                           ("t", r"  \d+  hot, of hot, \d+"), ("t", "^functions"),
                           ("s", "by %CPU"), ("h", "select a line"), ("p", "^functions"),
                           ("p", "PAUSED"), ("z", "no samples yet"), ("p", "  three ")):
            tmux("send-keys", key)
            until(shown)
        tmux("resize-window", "-x", "200", "-y", "50")
        wait_until(lambda: tmux("capture-pane", "-p").split("\n")[49].startswith("h: help"))
    with test("q leaves the command, ^C ends it, and the profile stays"):
        for key, shown in ("q", "still runs: .C ends it"), ("C-c", " with none"):
            tmux("send-keys", key)
            until(shown)
        # The shell has left its line, too.
        tmux("send-keys", END, "Enter")
        assert "three" in ended(130) and "three" in execute(PROFIL, "report", "top.out")


def process():
    with test("the terminal is as before whatever ends top -p"):
        hot = start(HOT, WORK)
        for end, status in (None, 0), (signal.SIGTERM, 0), (signal.SIGSEGV, 139):
            run(*TOP, "-p", str(hot.pid))
            seconds()
            if end:
                os.kill(pids_of("profil-report")[0], end)
            else:
                tmux("send-keys", "q")
            assert ended(status).count(" three ") == (status == 0)
        assert hot.poll() is None
        hot.kill()
        hot.wait()
        wait_until(lambda: not pids_of("profil"))


def top():
    # Which tells programs of the one terminal that the guest knows.
    tmux("start-server", ";", "set-option", "-g", "default-terminal", "screen", ";",
         "new-session", "-d", "-x", "80", "-y", "24")
    command()
    process()
    with test("top says why it shows nothing, and what else to do"):
        run(*TOP, client("hot-32"), WORK)
        until("it runs without a profile")
        tmux("send-keys", "C-c")
        until("no process made a profile")
        tmux("send-keys", END, "Enter")
        ended(130)
        run(*TOP, HOT, "10", "_exit")
        assert "ready" in ended(3)
        run("TERM=dumb", *TOP, HOT)
        assert "cannot move its cursor: use profil" in ended(125)
        assert "needs a terminal: use profil" in execute(*TOP, HOT, "1", status=125)
    tmux("kill-server")
    remove("modes", "top.out", "top.out.old")
