# SPDX-License-Identifier: LGPL-2.1-or-later
"""stops.py PROFIL HOW: how profil looks to its shell when its command has been
stopped, and its exit status when it has gone on. HOW is "itself", "sent" to profil,
or "terminal"."""
import os, pty, re, signal, sys, time

def shell():
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        os.execv(sys.argv[1], [sys.argv[1], "-q", "sh", "-c", command])
    try:
        os.setpgid(job, job)
    except PermissionError:
        pass
    while not os.path.exists("ready"):
        time.sleep(0.02)
    if sys.argv[2] == "terminal":
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)
        os.tcsetpgrp(0, job)
        print("ready", flush=True)
    elif sys.argv[2] == "sent":
        os.kill(job, signal.SIGTSTP)
    for turn in range(2 if sys.argv[2] == "itself" else 1):
        _, status = os.waitpid(job, os.WUNTRACED)
        if os.WIFSTOPPED(status):
            with open("/proc/%s/stat" % open("ready").read()) as stat:
                state = stat.read().split()[2]
            print("stopped by", os.WSTOPSIG(status), state, flush=True)
            open("went", "w").close()
            os.killpg(job, signal.SIGCONT)
    print("ended with", os.waitstatus_to_exitcode(os.waitpid(job, 0)[1]), flush=True)
    os._exit(0)

ready = "echo -n $$ >new; mv new ready; "
# Without a child: stopped between its vfork() and exec(), it would keep the shell from stopping.
waits = ready + "until [ -e went ]; do :; done; exit 9"
command = ready + "kill -STOP $$; kill -STOP $$; exit 9" \
    if sys.argv[2] == "itself" else waits
pid, master = pty.fork()
if pid == 0:
    signal.alarm(20)
    shell()
text, asked = b"", False
while True:
    try:
        part = os.read(master, 4096)
    except OSError:
        break
    if not part:
        break
    text += part
    if b"ready" in text and not asked:
        os.write(master, b"\x1a")
        asked = True
os.waitpid(pid, 0)
print(" ".join(re.findall("(?:stopped|ended)[^\r\n]*", text.decode())))
