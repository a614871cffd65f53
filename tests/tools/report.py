# SPDX-License-Identifier: LGPL-2.1-or-later
"""report.py PROFIL-REPORT FIXTURES: its options, as they are typed, in TAP."""
import contextlib
import fcntl
import json
import os
import pty
import re
import shutil
import struct
import subprocess
import sys
import termios

import pages
from profile_file import SYSCALL, WAIT, Profile
from reports import FIXTURES, REPORT, main, ok

HERE = os.path.dirname(os.path.abspath(__file__))


def run(options, env=None):
    done = subprocess.run([REPORT, "report", *options], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, env=env and {**os.environ, **env})
    # The program of the profiles is nowhere.
    return done.returncode, re.sub("^profil: /none/prog: not found: .*\n", "",
                                   done.stdout.decode(errors="replace"), flags=re.M)


def is_as_wanted(seen, samples, has, says, lacks):
    """HAS are patterns of whole lines, blanks apart, SAYS and LACKS of parts."""
    found = re.search(r"^(\d+) samples,", seen, re.M)
    lines = [" ".join(line.split()) for line in seen.splitlines()]
    return ((samples is None or (found and int(found[1]) == samples)) and
            all(any(re.fullmatch(one, line) for line in lines) for one in has) and
            all(re.search(one, seen, re.M) for one in says) and
            not any(re.search(one, seen, re.M) for one in lacks))


def report(name, options, of="profile", status=0, samples=None, has=(), says=(), lacks=()):
    got, seen = run(options.split() + [of])
    ok(got == status and is_as_wanted(seen, samples, has, says, lacks), name,
       f"status {got}\n{seen}")
    return seen


def few(name, options="", **wanted):
    """The same of a profile with stacks."""
    return report(name, options, of="few.4711", **wanted)


def wrong(name, options, says, of="few.4711"):
    report(name, options, of=of, status=2, says=[says])


def read_all(master):
    """What a terminal is sent until nobody has it open."""
    text = b""
    with os.fdopen(master, "rb", buffering=0) as terminal, contextlib.suppress(OSError):
        while part := terminal.read(65536):
            text += part
    return text


def on_terminal(columns, *options):
    """What a report prints on a terminal so wide."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {name: value for name, value in os.environ.items() if name != "COLUMNS"}
    with subprocess.Popen([REPORT, "report", *options], stdout=slave, env=env):
        os.close(slave)
        return read_all(master).decode()


def test_progress():
    """The step waits until somebody reads the report."""
    os.mkfifo("fifo")
    master, slave = pty.openpty()
    with subprocess.Popen([REPORT, "report", "few.4711", "-o", "fifo"], stderr=slave) as process:
        os.close(slave)
        line = b""
        while not line.endswith(b"profil: writing the report"):
            line += os.read(master, 1)
        with open("fifo", encoding="utf-8") as fifo:
            text = fifo.read()
        rest = read_all(master)
    ok(process.returncode == 0 and "prog+0x403000" in text and re.fullmatch(
        rb"(\r\x1b\[Kprofil: writing the report)*\r\x1b\[K", rest),
       "a long step says so on a terminal, and leaves nothing", repr(line + rest))


def fits(columns, *options):
    """On a terminal so wide no line is longer, and some are that long."""
    text = on_terminal(columns, *options, "profile")
    tables = text.split(" samples, ")[0].split(" s of CPU time, ")[0]
    longest = max(len(line) for line in tables.splitlines())
    ok(columns - 3 <= longest <= columns,
       f"a table is as wide as a terminal of {columns}: {' '.join(options)}",
       f"the longest line has {longest} columns")


def large(path, program):
    subprocess.run([sys.executable, "-B", f"{HERE}/large.py", path, "500000", program], check=True)


def make_profiles():
    pages.of_functions("profile", 30)
    large("named", shutil.which("perl"))
    pages.few_stacks("few.4711")
    pages.few_stacks("less.4711", busy=10)
    pages.few_waits("waits.4711")
    pages.few_stacks("phases.4711", phases=[
        (-5, b"early"), (0, b"load"), (30, b"solve"), (80, b""), (90, b"load")])
    pages.few_waits("odd.4711", lock=5000)
    shutil.copytree("profile", "older")
    shutil.copytree("profile", "elsewhere")
    for name in os.listdir("elsewhere"):
        if name.endswith(".map"):
            with open(f"elsewhere/{name}", "r+", encoding="latin1") as file:
                text = file.read().replace("function_", "elsewhere_")
                file.seek(0)
                file.write(text)


def test_selections():
    report("without options it is all of it", "", samples=3046)
    report("--comm takes the processes of a name", "--comm=server", samples=1323)
    report("and it may be a pattern", "--comm=[sw]*er", samples=2646)
    report("--function takes a function", "--function=function_1", samples=200,
           says=["^100.00%  *200 .* function_1 "])
    report("two of them leave what both are about",
           "--function=std::__detail::_Map_base* --pid=1", samples=476, says=["in 1 process"])
    report("formats have what was selected", "-f folded --comm=worker",
           says=["^worker;"], lacks=["^(?!worker;)."])
    report("--object takes an object", "--object=[[]unknown]", samples=3046)
    nothing = "no samples match the options that select them"
    report("what selects nothing is an error", "--object=nonesuch", status=1, says=[nothing])
    wrong("a process that is no number is wrong usage", "--pid=x",
          "invalid process ID .x.: use a whole number", of="profile")
    report("maps are those of each profile's own directory", "elsewhere -n 0",
           says=[" 200 .* elsewhere_1 ", " 200 .* function_1 "])
    status, seen = run(["-f", "gmon", "--object=perl*", "-o", "gmon.out", "named"])
    with open("gmon.out", "rb") as file:
        ok(status == 0 and file.read(4) == b"gmon", "--object is a pattern for gmon, too", seen)
    report("callgrind has the command line of what was started first",
           "-f callgrind", says=["^cmd: server --file="])
    few("--function takes stacks that a function is in", "--tree --function=*402000",
        samples=50, has=[r"100.00% 0.00% 50 0.050 prog\+0x401000 \(prog\)",
                         r"100.00% 100.00% 50 0.050 prog\+0x403000"], lacks=["0x404000"])
    few("and of callers, too", "--callers=*401000 --function=[[]read]", samples=30,
        has=[r"100.00% 30 0.030 prog\+0x401000 \(prog\)"])
    few("so does --object", "--tree --object=prog", samples=100)
    few("with --function", "--tree --object=prog --function=*401000", samples=80)
    for thread in "worker", "12", "/^wo/":
        few(f"--thread takes threads: {thread}", f"--thread={thread}", samples=30)
    few("--ignore takes all but a function", "--ignore=*403000", samples=30, lacks=["0x403000"])
    few("of stacks, all that it is not in", "--tree --ignore=*402000", samples=50,
        has=[r"60.00% 0.00% 30 0.030 prog\+0x401000 \(prog\)"], lacks=["0x402000"])
    wrong("a pattern that is none is wrong usage", "--function=/(/", "regular expression")
    few("an object that is not there selects nothing",
        "--tree --object=nonesuch --function=*401000", status=1)
    few("elsewhere both take samples by where they are themselves",
        "--function=*402000", status=1, says=[nothing])


def test_differences():
    report("nothing has changed from a profile to itself", "--diff=older",
           says=[r"\+0.000 s, \+0.00%"], lacks=["[+-][0-9.]*[1-9][0-9.]*  *[0-9.]*  *[+-]"])
    report("--diff has what is new", "--diff=older/server.1", of="older/worker.2",
           says=[r"^   0.00%   30.23%   \+30.23       0.400     \+0.400   "])
    wrong("--diff in another format is wrong usage", "--diff=older -f json",
          "diff needs --format=text, pprof or html", of="profile")
    report("what one side lacks had nothing there", "--diff=older/server.1 --function=function_16",
           of="older/worker.2", says=[r"^   0.00%  100.00%"])
    seen = few("--diff with --tree has what calls have more or less",
               "--tree --diff=less.4711",
               has=[r"80.00% 80.00% \+0.00~ 0.080 \+0.000~ prog\+0x401000 \(prog\)",
                    r"10.00% 50.00% \+40.00 0.050 \+0.040 prog\+0x402000",
                    r"70.00% 30.00% -40.00 0.030 -0.040 \[read\]",
                    r"0.100 s of CPU time, 0.100 s before: \+0.000 s, \+0.00%"])
    ok(sum("%" in line for line in seen.splitlines()) == 7, "and no others", seen)
    few("-n takes those that have changed most, and their callers",
        "--tree --diff=less.4711 -n 1", has=[r"and 4 more calls \(-n 0 shows all\)"],
        says=[r"\A.*\n.*prog\+0x401000 \(prog\)\n.*prog\+0x402000\b"])
    few("--diff with --callers has who calls a function more or less",
        "--callers=*403000 --diff=less.4711",
        has=[r"30.00% 70.00% \+40.00 0.070 \+0.040 prog\+0x403000 \(prog\)",
             r"10.00% 50.00% \+40.00 0.050 \+0.040 prog\+0x402000"])
    few("of stacks that a function is in, too",
        "--tree --function=[[]read] --diff=less.4711",
        has=[r"100.00% 100.00% \+0.00~ 0.030 -0.040 prog\+0x404000"])
    few("what nobody called has not changed", "--callers=nobody --diff=less.4711",
        status=1, says=["no function in a call stack matches .nobody."])
    wrong("what samples are told apart by cannot be compared",
          "--diff=less.4711 --by=thread", "--diff cannot be combined with --by")


def test_tables():
    few("--min leaves small rows out", "--min=50", lacks=["0x404000"],
        has=[r"and 1 more function\b"])
    few("of a tree, small calls", "--tree --min=50%", lacks=["0x404000"],
        has=[r"50.00% 50.00% 50 0.050 prog\+0x403000"])
    few("--sort=total has who calls, too", "--sort=total", says=[
        r"\A.*\n +0.00% +0 +0.000 +80.00% +prog\+0x401000 +prog *\n +70.00% "])
    few("--sort=name", "--sort=name", says=[r"\A.*\n.*prog\+0x403000 .*\n.*prog\+0x404000 "])
    few("csv has the table", "-f csv", says=[
        r'\A.*,function,.*\n70,0.070000,70.0000,0.070000,70.0000,"prog\+0x403000",0,'
        r'"/none/prog","0x403030"\r\n'])
    wrong("a share is a number", "--min=x", "invalid percentage")
    wrong("a table has no other order", "--sort=size", "self, total or name")


def test_stacks():
    few("with stacks, the table has what functions have called",
        has=[r"70.00% 70 0.070 70.00% prog\+0x403000 prog 0x403030",
             "80 samples with all callers, 0 with some, 20 with none"])
    few("--tree has who called whom", "--tree",
        has=[r"80.00% 0.00% 80 0.080 prog\+0x401000 \(prog\)",
             r"50.00% 50.00% 50 0.050 prog\+0x403000",
             r"30.00% 0.00% 30 0.030 prog\+0x404000", r"30.00% 30.00% 30 0.030 \[read\]",
             r"20.00% 20.00% 20 0.020 prog\+0x403000 \(prog\)"])
    seen = few("-n takes the calls with most time", "--tree -n 2",
               has=[r"and 4 more calls \(-n 0 shows all\)"])
    ok(len(re.findall(r"%.*prog\+", seen)) == 2, "so many of them", seen)
    few("--callers has who called a function", "--callers=*403000",
        has=[r"70.00% 70 0.070 prog\+0x403000 \(prog\)",
             r"50.00% 50 0.050 prog\+0x402000", r"50.00% 50 0.050 prog\+0x401000"])
    few("and who called the kernel", "--callers=[[]read]",
        has=[r"30.00% 30 0.030 \[read\]", r"30.00% 30 0.030 prog\+0x404000 \(prog\)"])
    few("nobody calls what is not there", "--callers=nobody", status=1,
        says=["no function in a call stack matches .nobody."])
    few("--by=thread", "--by=thread",
        has=["50.00% 50 0.050 11 -, of few, 4711",
             "30.00% 30 0.030 12 worker, of few, 4711",
             "20.00% 20 0.020 unknown, of few, 4711"])
    few("--by=object", "--by object", has=["100.00% 100 0.100 /none/prog"])
    few("--by=syscall", "--by syscall",
        has=["50.00% 50 0.050 in user mode", r"30.00% 30 0.030 \[read\]",
             "20.00% 20 0.020 unknown"])
    report("processes are known without stacks", "--by=process",
           has=["43.43% 1323 1.323 1 server.*"])
    report("threads are not", "--by=thread", has=["43.43% 1323 1.323 unknown, of server, 1"])
    report("nor callers: stacks have one function", "--tree",
           has=[r"6.57% 6.57% 200 0.200 function_1 \(\[unknown\]\)",
                "0 samples with all callers, 0 with some, 3046 with none"])


LINE = (r"1.720 s waiting: poll 1.000 s, futex 0.600 s, read 0.120 s; "
        "0.030 s waiting for a CPU")


def waits(name, options="", **wanted):
    """The same of a profile that has waits as well."""
    return report(name, options, of="waits.4711", **wanted)


def test_waits():
    rows = [[line for line in run([of])[1].splitlines() if re.match(r" *\d.*%.* prog ", line)]
            for of in ("few.4711", "waits.4711")]
    ok(rows[0] == rows[1] and len(rows[0]) == 2, "waits change no row of the table", rows)
    waits("they have a line below it", samples=100,
          has=[LINE, "1.000 s from start to end: 10% of a CPU"])
    waits("what is selected has, too", "--thread=11 --to=0.7",
          has=["0.600 s waiting: futex 0.480 s, read 0.120 s"])
    waits("--wall counts them", "--wall", samples=1850, lacks=["CPU time", "of a CPU$"], has=[
        LINE, r"54.05% 1000 1.000 98.92% prog\+0x401000 prog 0x401010",
        "1850 samples, 1.850 s of wall time in 1 process.*", "1.000 s from start to end"])
    waits("--waits counts nothing else", "--waits", samples=1750, has=[
        LINE, r"57.14% 1000 1.000 100.00% prog\+0x401000 prog 0x401010",
        "1750 samples, 1.750 s of waiting time in 1 process.*"])
    seen = waits("in a tree, waits have boxes of their own", "--tree --wall", has=[
        r"1.62% 1.62% 30 0.030 \[read\]", r"6.49% 6.49% 120 0.120 \[read\] waiting",
        r"32.43% 32.43% 600 0.600 \[futex\] waiting",
        r"1.62% 1.62% 30 0.030 \[waiting for a CPU\]"])
    ok(len(re.findall("waiting$", seen, re.M)) == 3, "and only those", seen)
    waits("--callers has who waits", "--callers=/futex/ --waits", says=[
        r"\A.*\n.* 600 .*  \[futex\] waiting\n.*prog\+0x404000 \(prog\)\n.*prog\+0x402000\n"])
    waits("threads have three columns", "--by=thread", has=[
        "share running waiting runnable thread", "50.00% 0.050 0.720 0.030 11 .*",
        "30.00% 0.030 0.000 0.000 12 worker.*", "0.00% 0.000 1.000 0.000 13 .*"])
    waits("and shares of what counts", "--by=thread --wall",
          has=["54.05% 0.000 1.000 0.000 13 .*", "43.24% 0.050 0.720 0.030 11 .*"])
    waits("--by=syscall tells waits apart", "--by=syscall --wall", has=[
        r"54.05% 1000 1.000 \[poll\] waiting", r"1.62% 30 0.030 \[read\]",
        "2.70% 50 0.050 in user mode"])
    waits("a wait is cut by time", "--wall --thread=11 --from=0.5 --to=0.86", samples=330,
          has=["17.84% of 1850 samples are selected"])
    waits("--diff compares wall time", "--wall --diff=odd.4711 --tree", has=[
        r"0.00% 32.43% \+32.43 0.600 \+0.600 \[futex\] waiting",
        r"32.43% 0.00% -32.43 0.000 -0.600 \[syscall 5000\] waiting",
        "1.850 s of wall time, 1.850 s before: .*"])
    few("--wall says if there are none", "--wall", samples=100,
        says=["^profil: few.4711: no waits were recorded: use profil -w$"])
    few("--waits then has nothing to print", "--waits", status=1,
        says=["^profil: few.4711: no waits were recorded: use profil -w$"])
    wrong("only one of both is possible", "--wall --waits", "only one of --wall and --waits")
    made = Profile().object("/none/prog", 0x1000, 0x2000)
    for call in range(6):
        made.stack(11, 100 + call, 0x1010, head=WAIT | SYSCALL, syscall=call)
    made.stack(11, 1000, 0x1010, head=WAIT).write("asleep.1")
    report("a program that did not run has a line of waits", "", of="asleep.1", samples=0,
           has=["1.615 s waiting: fault or stop 1.000 s, fstat 0.105 s, stat 0.104 s, "
                r"close 0.103 s, \.\.\."])


def test_times():
    few("--from and --to take a time", "--from=0.05 --to=0.08", samples=30,
        has=["30.00% of 100 samples are selected"])
    _, seen = run(["--to=10%", "-f", "folded", "few.4711"])
    ok(sum(int(line.split()[-1]) for line in seen.splitlines()) == 10,
       "or a part, in each format", seen)
    report("times are not known without stacks", "--from=1", status=1,
           says=["--from and --to need profiles with call stacks"])
    report("phases", "--phase=load", of="phases.4711", samples=40,
           has=["40.00% of 100 samples are selected"])
    for option, n in ("--phase=load", 40), ("--by=phase", 100):
        report(f"{option} leaves out samples without a time", f"{option} phases.4711", samples=n,
               says=["^profil: [0-9]+ samples without a call stack have no time: they are left"])
    report("a pattern of phases adds up their times", "--phase=/l/", of="phases.4711", samples=90)
    report("--by=phase has a row for each name", "--by=phase", of="phases.4711", has=[
        "50.00% 50 0.050 solve", "40.00% 40 0.040 load", "10.00% 10 0.010 none"])
    report("and of what is selected", "--by=phase --thread=12", of="phases.4711", has=[
        "100.00% 30 0.030 solve"])
    few("a program without phases says so", "--phase=load", status=1, samples=None,
        says=["no program has named phases"])
    report("phases need stacks, too", "--by=phase", status=1, says=["--by=phase needs"])
    for option in "--from=5x", "--from=-1", "--to=101%", "--to=%":
        value = option.split("=")[1]
        wrong(f"{option} is wrong usage", option, f"invalid time .{re.escape(value)}.: use seconds")
    wrong("two reports in one are, too", "--tree --by=thread", "only one of")
    wrong("and a tree in another format", "--tree -f json", "need --format=text")
    wrong("so is what samples cannot be told apart by", "--by=cpu",
          "invalid --by .cpu.: use thread")


def test_output():
    os.mkdir("bin")
    with open("bin/xdg-open", "w", encoding="ascii") as file:
        file.write("#!/bin/sh\necho opened $1 $(wc -l <$1)\n")
    os.chmod("bin/xdg-open", 0o755)
    status, seen = run(["--open", "few.4711"], {"PATH": f"{os.getcwd()}/bin:/usr/bin:/bin"})
    ok(status == 0 and re.search(r"^opened /\S*/profil.html \d{3}", seen),
       "--open writes the page, and opens it by its whole path", seen)
    status, seen = run(["--open", "--firefox", "few.4711"])
    with open("profil.json", encoding="ascii") as file:
        ok(status == 0 and json.load(file)["threads"] and seen ==
           "profil: open profil.json at https://profiler.firefox.com\n",
           "--firefox writes what the Firefox Profiler reads", seen)
    status, seen = run(["--open", "few.4711"], {"PATH": "/nonesuch"})
    ok(status == 1 and "open profil.html in a browser" in seen, "or says what to do", seen)
    for columns in 80, 61:
        fits(columns)
    fits(132, "-n", "0")
    fits(100, "--diff=older")
    with open("ends.1", "wb") as file:
        file.write(Profile().object("/none/libc.so.6", 0x1000, 0x2000).object(
            "/none/libpython3.11.so.1.0", 0x3000, 0x4000).samples(0x1004).samples(
            0x3004).bytes())
    seen = on_terminal(80, "ends.1")
    ok(re.search(r"libc\.so\.6 +0x1004", seen) and re.search(r"libp\S*\.\.1\.0 +0x", seen),
       "names of objects keep their ends", seen)
    report("where there is no terminal, names are whole", "-n 0",
           says=[re.escape("std::basic_string<char> const&)")])
    for output, why in ("none/x", "No such file or directory"), (".", "Is a directory"):
        report(f"an output that cannot be opened is said: {output}",
               f"-f folded -o {output}", status=125, says=[f"cannot open {output}: {why}"])
    report("a profile is not written over by a report", "-f folded -o older/sh.3",
           status=125, says=["sh.3 is a profile file: write"])
    with open("older/sh.3", "rb") as one, open("profile/sh.3", "rb") as other:
        ok(one.read() == other.read(), "and it is what it was")
    with open("older/profil.names", "wb"):
        report("nor are its names", "-o older/profil.names", status=125,
               says=["profil.names is a profile file: write"])
    os.unlink("older/profil.names")
    report("a file that is missing is an error, and the others are shown", "none", status=1,
           says=["none: No such file or directory", r"samples, \d"])
    status, seen = run(["--version"])
    ok(status == 0 and re.fullmatch(r"profil \d[\w.~-]*\n", seen), "it has a version", seen)
    for what, options in (("help", ["--help"]), ("the version", ["--version"]),
                          ("a report", ["profile"])):
        with open("/dev/full", "wb") as full:
            done = subprocess.run([REPORT, "report", *options], stdout=full,
                                  stderr=subprocess.PIPE, check=False)
        ok(done.returncode == 1 and b"cannot write all of the output" in done.stderr,
           f"{what} that cannot be written is an error", done.stderr.decode())
    # libdebuginfod, which opens sockets, looks for build IDs.
    Profile().object("/none/prog", 0x1000, 0x2000, build_id=b"x").samples(0x1004).write("one.1")
    report("one sample is no samples", "", of="one.1", has=["1 sample, 0.001 s of .*"])
    done = subprocess.run(["sh", "-c", 'exec "$0" report one.1 >&-', REPORT],
                          stderr=subprocess.PIPE, check=False)
    ok(done.returncode == 1 and b"cannot write all of the output" in done.stderr,
       "and so is a report whose standard output is closed", done.stderr.decode())
    shutil.copy(f"{FIXTURES}/inlined.so", "inlined.so")
    large("shortened", os.path.abspath("inlined.so"))
    status, seen = run(["shortened"], {"LD_PRELOAD": f"{FIXTURES}/shortening.so",
                                       "SHORTENED": os.path.abspath("inlined.so")})
    ok(status == 1 and "became shorter while it was read" in seen,
       "a program that becomes shorter while it is read is an error", seen)


main(make_profiles, test_selections, test_differences, test_tables, test_stacks, test_waits,
     test_times, test_output, test_progress)
