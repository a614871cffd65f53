# SPDX-License-Identifier: LGPL-2.1-or-later
"""Profiles of many functions, of many stacks, and of few. Equal arguments make equal
profiles."""
import os
import random
import struct

from profile_file import (ARGUMENTS, COUNT, HOST, KERNEL, PHASE, PROCESS, RUNNABLE, SPAN,
                          SYSCALL, WAIT, Profile, difference, number)

BIAS = 0x7f0000000000
FIRST, SIZE = 0x10000, 64       # functions
STARTED = 1763757000 * 10**9
THREADS = 6                     # of the first process with stacks
DEEPEST = 60
LONG = ("std::__detail::_Map_base<std::basic_string<char>, std::pair<const "
        "std::basic_string<char>, number_%d>, std::allocator<std::pair<const "
        "std::basic_string<char>, int>>>::operator[](std::basic_string<char> const&)")
HOSTILE = ("</script><script>document.title = 'taken'</script>",
           "<img src=x onerror=\"document.title='taken'\">",
           "quotes\" ' ` ${document.title = 'taken'} \\u003c\\",
           "<!--<script>", "]]>&amp;&lt;", "right \u202e to left",
           "\u05e9\u05dc\u05d5\u05dd(int, char)", "\u65e5\u672c\u8a9e\u306e\u95a2\u6570",
           "esc\x1b[2J\x7f", "__proto__", "constructor")


def write_map(directory, pid, first, names):
    with open(os.path.join(directory, f"perf-{pid}.map"), "w", encoding="utf-8") as file:
        for i, name in enumerate(names, first):
            file.write(f"{FIRST + i * SIZE:x} {SIZE:x} {name}\n")


def process(pid, *arguments, **fields):
    words = b"".join(word.encode() + b"\0" for word in arguments)
    fields = {"pid": pid, "started_ns": STARTED + pid * 10**9,
              "ended_ns": STARTED + 3600 * 10**9, **fields}
    return Profile(**fields).record(
        PROCESS, arguments[0].encode() + b"\0").record(
        HOST, b"build.example.org\0").record(ARGUMENTS, words)


def of_functions(directory, functions, *objects):
    """Three processes, with so many functions in all, some of very long names. OBJECTS
    are libraries that two of them have in memory."""
    rng = random.Random(3)
    os.makedirs(directory, exist_ok=True)
    commands = (["server", "--file=/etc/" + "long/" * 30 + "server.conf", "<b>"],
                ["worker", "-v"], ["sh", "-c", "server & worker"])
    first = 0
    for pid, arguments in enumerate(commands, 1):
        count = functions // 2 if pid < 3 else functions % 2 + 1
        numbers = range(first, first + count)
        write_map(directory, pid, first, [f"function_{i}" if i % 7 else LONG % i for i in numbers])
        pcs = [FIRST + i * SIZE + 4 * rng.randrange(16)
               for i in numbers for _ in range(max(1, 400 // (i - first + 1)))]
        made = process(pid, *arguments, **({} if pid < 3 else {"state": 0, "ended_ns": 0}))
        for path in objects if pid < 3 else ():
            made.object(path, BIAS, BIAS + 0x40000, BIAS)
            pcs += [BIAS + 0x1040 + rng.randrange(0x180) for _ in range(300)]
        rng.shuffle(pcs)
        made.pcs.extend(pcs)
        made.write(os.path.join(directory, f"{arguments[0]}.{pid}"))
        first += count


def name_of(i):
    if i % 7 == 3 and i // 7 < len(HOSTILE):
        return HOSTILE[i // 7]
    if i == 5:
        return "".join(f"std::map<std::string, k{j}>::" for j in range(400)) + "operator[](int)"
    return ("Table<int>::find(Key const&)", "parse", "visit_node", "parse")[i % 4] + f"_{i}"


def mix(a, b):
    """Numbers that look random, and are the same for the same ones."""
    value = (a * 0x9e3779b97f4a7c15 ^ b) * 0xd6e8feb86659fd93 & 2**64 - 1
    return value ^ value >> 32


def callers_of(which, everything, functions):
    """Stack WHICH of EVERYTHING, but for its sample: an innermost function, and what
    comes before a sample in it, encoded. Stacks that are near each other have their
    outermost callers in common, as the prefixes of their numbers; some functions call
    themselves."""
    depths = 8 + mix(which, 1) % (DEEPEST - 8)
    out, last, function, shift = number(0) + number(depths + 1), 0, 0, everything.bit_length()
    for depth in range(depths):
        prefix = which >> max(shift - depth, 0)
        if mix(prefix, depth) % 16:
            function = mix(prefix, depth + 100) % functions
        pc = FIRST + function * SIZE + 4 * (depth % 3)
        out += difference(pc - last)
        last = pc
    return FIRST + function * SIZE, last, out


def of_stacks(directory, samples, functions, stacks, waits=False):
    """So many samples in so many different stacks of three processes. Names are hostile,
    or very long; threads come and go, and one process has samples without stacks. One
    in four is of a wait, if they are to have WAITS."""
    rng = random.Random(5)
    os.makedirs(directory)
    made = [process(1, "server", "--many", "<b>"), process(2, "sh", "--many", "<b>"),
            process(3, "</script>").samples(FIRST, 7)]
    known = {}
    for thread in range(THREADS):
        made[0].name(100 + thread, f"worker/{thread} </script>".encode())
    for at in range(samples):
        phase = at * 10 // samples
        who = rng.randrange(2) * (phase + rng.randrange(3)) % (THREADS + 1)
        # Few stacks have most samples, and others at another time.
        rank = int(rng.random() ** 3 * stacks)
        which = (rank + (phase + who % 3) * stacks // 16) % stacks
        if which not in known:
            known[which] = callers_of(which, stacks, functions)
        function, last, callers = known[which]
        pc = function + 4 * rng.randrange(SIZE // 4)
        head = 0 if rng.randrange(8) else rng.choice((KERNEL, KERNEL | SYSCALL))
        if waits and which % 4 == 0:
            head = rng.choice((WAIT, WAIT | SYSCALL, WAIT | RUNNABLE))
        file = made[who // THREADS]
        file.add(100 + who, head, number(rng.randrange(2)) if head & SYSCALL else b"",
                 difference(5000000 + 1000 * at - file.time), callers, difference(pc - last))
        file.time = 5000000 + 1000 * at
        if not head & WAIT:
            file.samples(pc)
    made[0].add(101, KERNEL | SYSCALL | COUNT | SPAN, number(48), number(49000), number(0),
                difference(0), number(0), number(1), difference(FIRST)).samples(FIRST, 50)
    for pid, (name, file) in enumerate(zip(("server", "sh", "script"), made), 1):
        write_map(directory, pid, 0, map(name_of, range(functions)))
        file.write(os.path.join(directory, f"{name}.{pid}"))


def few_stacks(path, program="/none/prog", functions=(0x401010, 0x402020, 0x403030, 0x404040),
               bias=0, busy=50, waits=(), phases=()):
    """100 samples, one each millisecond, of a program with functions main, work, leaf
    and idle at these addresses: 50 of main, work, leaf in thread 11, 30 of main, idle,
    read() in thread 12, and 20 of leaf without a stack; or BUSY of the first, and 80 less
    that of the second. WAITS are more stacks, as of Profile.stack(), and PHASES begin at so
    many ms."""
    top, work, leaf, idle = (bias + address for address in functions)
    made = Profile(stackless=20, ended_ns=10**18 + (1000 if waits else 100) * 10**6).object(
        program, bias + 0x1000, bias + 0x500000, bias).stack(11, busy, leaf, work, top).stack(
        12, 80 - busy, idle, top, head=KERNEL | SYSCALL).name(12, b"worker").samples(leaf, 20)
    for ms, name in phases:
        made.record(PHASE, struct.pack("<Q", 5 * 10**9 + ms * 10**6) + name + b"\0")
    for thread, n, stack, fields in waits:
        made.stack(thread, n, *(bias + pc for pc in stack), **fields)
    made.write(path)


def few_waits(path, lock=202):
    """The same, and in the first second: thread 11 waits 120 ms in read() below idle,
    twice, for LOCK, a number of futex(), 600 ms below work, and 30 ms for a CPU in leaf.
    Thread 13 sleeps in poll() below main all the time."""
    main, work, leaf, idle = 0x401010, 0x402020, 0x403030, 0x404040
    few_stacks(path, waits=[
        (11, 60, (idle, main), {"head": WAIT | SYSCALL, "at": 100}),
        (11, 60, (idle, main), {"head": WAIT | SYSCALL, "at": 160}),
        (11, 600, (idle, work, main), {"head": WAIT | SYSCALL, "syscall": lock, "at": 220}),
        (11, 30, (leaf, work, main), {"head": WAIT | RUNNABLE, "at": 850}),
        (13, 1000, (main,), {"head": WAIT | SYSCALL, "syscall": 7, "at": 0})])
