# SPDX-License-Identifier: LGPL-2.1-or-later
"""writers.py PROFIL-REPORT FIXTURES: what is in each format, in TAP. Viewers read them
in tests/clients."""
import array
import base64
import collections
import fcntl
import gzip
import json
import os
import re
import struct

from pages import few_stacks, few_waits, of_stacks
from reports import LEAF, MAIN, ONE, TWO, costs, folded, main, prog, run, test, used_by
from profile_file import (ARGUMENTS, COUNT, KERNEL, PHASE, PROCESS, SPAN, SYSCALL, WAIT, Profile,
                          difference, log_record, number)

FILE = "prog.4711"
TOP = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")


def write_flat(**fields):
    """A program and a library that are nowhere: functions are pages."""
    return Profile(**fields).object("/none/prog", 0x401000, 0x403000).object(
        "/none/lib;x.so", 0x7f0000001000, 0x7f0000002000, 0x7f0000000000).samples(
        0x401004, 10).samples(0x401008, 20).samples(0x402000, 5).samples(
        0x7f0000001010, 40).write(FILE)


def write_stacks():
    """13 samples: 9 of thread 11, in three stretches, 3 of 12, and 1 of nobody."""
    prog().stack(11, 2, LEAF, ONE, MAIN).name(12, b"worker").stack(
        12, 3, ONE, MAIN, head=KERNEL | SYSCALL).stack(11, 3, TWO, ONE, TWO, MAIN).stack(
        11, 4, LEAF, ONE, MAIN).samples(LEAF).write(FILE)


def table():
    write_flat()
    with test("the table has all functions by time"):
        rows = [line.split() for line in run()[0].splitlines()[1:4]]
        assert [row[-3] for row in rows] == ["lib;x.so+0x1000", "prog+0x401000", "prog+0x402000"]
        assert rows[0][:4] == ["53.33%", "40", "0.040", "53.33%"] and rows[1][-1] == "0x401008"
    with test("-n takes the first ones"):
        text, _ = run("-n", "1")
        assert "and 2 more functions" in text and "prog+0x401000" not in text
    with test("the table says what still runs"):
        write_flat(state=0)
        assert "still run" not in run()[0]
        with open(FILE, "r+b") as file:
            fcntl.flock(file, fcntl.LOCK_EX)    # as a reader can
            assert "still run" not in run()[0]
            fcntl.lockf(file, fcntl.LOCK_EX)
            assert "\n1 process still runs\n" in run()[0]


def processes():
    with test("processes have shares and times"):
        os.mkdir("make")
        start = 10**18
        Profile(pid=12, ended_ns=start + 2 * 10**8).record(
            ARGUMENTS, b"make\0-s\0").samples(0x1004, 10).write("make/make.12")
        Profile(pid=13, started_ns=start + 10**8, ended_ns=0, state=0).samples(
            0x1004, 30).write("make/cc1.13")
        text, _ = run(path="make")
        assert ("\n        13     0.030   75.00%         -      -  cc1\n"
                "        12     0.010   25.00%     0.200     5%  make -s\n") in text
        assert "0.200 s from start to end: 20% of a CPU" in text
    with test("wall time is from the first start to the last end"):
        Profile(pid=13, started_ns=start + 10**8, ended_ns=start + 3 * 10**8).samples(
            0x1004, 30).write("make/cc1.13")
        assert "\n0.300 s from start to end" in run(path="make")[0]
    with test("and not known if one without an end was there after all the others"):
        sh = {"pid": 14, "started_ns": start, "ended_ns": 0, "state": 0}
        for made, known in ((Profile(**sh).samples(0x1004, 290), True),
                            (Profile(**sh).samples(0x1004, 310), False),
                            (Profile(**sh).stack(1, 290, 0x1004, at=20), False),
                            (Profile(**sh).stack(1, 1, 0x1004, at=20).stack(
                                1, 1, 0x1004, head=WAIT, at=400), False),
                            (Profile(**sh).stack(1, 1, 0x1004, at=290), True)):
            made.write("make/sh.14")
            assert (" from start to end" in run(path="make")[0]) == known
        with open("make/sh.14", "r+b") as file:
            fcntl.lockf(file, fcntl.LOCK_EX)
            assert " from start to end" not in run(path="make")[0]
    with test("and not known while the first runs"):
        Profile(pid=12, state=0, ended_ns=0).samples(0x1004, 10).write("make/make.12")
        assert " from start to end" not in run(path="make")[0]
    with test("nor known of two runs"):
        os.mkdir("runs")
        for pid, at in (1, start), (2, start + 2 * 10**9):
            Profile(pid=pid, started_ns=at, ended_ns=at + 10**9).samples(
                0x1004).write(f"runs/make.{pid}")
        assert " from start to end" not in run(path="runs")[0]
    with test("nor of two that overlap"):
        for run_by, has in ((7, True), (8, False)):
            for pid, at, run_id in (1, start, 7), (2, start + 5 * 10**8, run_by):
                Profile(pid=pid, started_ns=at, ended_ns=at + 10**9, run=run_id).samples(
                    0x1004).write(f"runs/make.{pid}")
            assert (" from start to end" in run(path="runs")[0]) == has
    # A make of a large project has thousands of them.
    with test("many processes are shown by name"):
        os.mkdir("many")
        for i in range(1, 202):
            write_flat(pid=i)
            os.rename(FILE, f"many/{'odd' if i % 2 else 'even'}.{i}")
        assert ('"processes":[{"name":"even","title":"even"},{"name":"odd","title":"odd"}]'
                in run("--html", path="many")[0])


def names():
    evil = "/none/a\nfn=b\x1b[2J</script>.so"
    Profile().object(evil, 0x401000, 0x403000).record(PROCESS, b"x\nfn=y\x1b").samples(
        0x401004, 10).write(FILE)
    with open(f"{TOP}/tools/formats/formats.h", encoding="ascii") as file:
        texts = re.findall(r'^\tformat\((\w+),\s+"[^"]*",\s+false', file.read(), re.M)
    for form in texts:
        with test(f"names of others end no line of {form}"):
            text, _ = run("-f", form)
            assert not re.search("\x1b|\nfn=[by]", text)
            assert form != "html" or "[2J</script>" not in text


def check_fields(data, must, may=()):
    assert not set(data) - set(must) - set(may), set(data) - set(must) - set(may)
    assert all(isinstance(data[name], kind) for name, kind in must.items()), data


def speedscope(data):
    """The threads of a file, which is as speedscope's schema requires."""
    check_fields(data, {"$schema": str, "shared": dict, "profiles": list},
                 ("name", "exporter", "activeProfileIndex"))
    assert data["$schema"] == "https://www.speedscope.app/file-format-schema.json"
    frames, profiles = data["shared"]["frames"], data["profiles"]
    assert 0 <= data.get("activeProfileIndex", 0) < len(profiles)
    for frame in frames:
        check_fields(frame, {"name": str}, ("file", "line", "col"))
        assert frame.get("line", 1) >= 1
    for one in profiles:
        check_fields(one, {"type": str, "name": str, "unit": str, "startValue": (int, float),
                           "endValue": (int, float), "samples": list, "weights": list})
        assert one["type"] == "sampled" and one["unit"] == "nanoseconds"
        assert len(one["samples"]) == len(one["weights"]) > 0 and min(one["weights"]) > 0
        assert sum(one["weights"]) == one["endValue"] - one["startValue"]
        assert all(stack and all(0 <= i < len(frames) for i in stack) for stack in one["samples"])
    return profiles


def stacks():
    write_flat()
    with test("folded stacks have no foreign separators"):
        assert folded() == {"prog;lib:x.so+0x1000": 40, "prog;prog+0x401000": 30,
                            "prog;prog+0x402000": 5}
    write_stacks()
    main_page, one, two, leaf = (f"prog+{pc & ~0xfff:#x}" for pc in (MAIN, ONE, TWO, LEAF))
    with test("folded stacks are whole"):
        assert folded() == {
            f"prog;{main_page};{one};{leaf}": 6, f"prog;{main_page};{one};[read]": 3,
            f"prog;{main_page};{two};{one};{two}": 3, f"prog;{leaf}": 1}
    with test("speedscope has threads in the order of time, by its schema"):
        threads = speedscope(json.loads(run("-f", "json")[0]))
        assert [one["name"] for one in threads[:2]] == [
            "prog 4711, thread 11", "prog 4711, thread 12 worker"] and len(threads) == 3
        samples = threads[0]["samples"]
        assert [len(stack) for stack in samples] == [3, 4, 3] and samples[0] == samples[2]
        assert threads[0]["endValue"] == 9000000
    with test("each format of stacks marks too deep ones"):
        prog().stack(11, 3, LEAF, *[ONE] * 254, end=1).stack(11, 2, LEAF, MAIN).write(FILE)
        assert {stack.split(";")[1]: n for stack, n in folded().items()} == {
            "[more callers]": 3, main_page: 2}
        assert re.search(r"^ *60.00% .* 3 .*0.003  \[more callers\]$", run("--tree")[0], re.M)
        assert re.search(r"  \[more callers\]$", run("--callers=*402000", "-n", "0")[0], re.M)
        for form in "json", "html", "callgrind", "cpuprofile":
            assert b"[more callers]" in run("-f", form, binary=True)[0], form
        assert b"[more callers]" in pprof_message()[6]
        for options in (["-f", "csv"], ["--diff", FILE]):
            assert "some samples have more than 255 frames: the" in run(*options)[1]
    # A function that has been made twice, the second time with a call of the first.
    # Viewers know functions by their names, and add up what these are called with.
    with test("callgrind calls namesakes once"):
        with open("perf-4711.map", "w", encoding="ascii") as file:
            file.write("1000 100 twice\n2000 100 twice\n3000 100 top\n")
        Profile().stack(11, 5, 0x1010, 0x2010, 0x3010).stack(11, 2, 0x2020, 0x3010).write(FILE)
        text, _ = run("-f", "callgrind")
        os.remove("perf-4711.map")
        for function, wanted in ("top", 7), ("twice", 7):
            called = re.findall(rf"^cfn={function}\ncalls=.*\n0x\S+ \d+ (\d+)$", text, re.M)
            assert called == [str(wanted)], called
        own = re.findall(r"^fn=twice\n((?:0x.*\n)*)", text, re.M)
        assert sum(int(line.split()[2]) for part in own for line in part.splitlines()) == 7


def varint(data, at):
    value = shift = 0
    while data[at] > 127:
        value |= (data[at] & 127) << shift
        at, shift = at + 1, shift + 7
    return value | data[at] << shift, at + 1


def numbers(data):
    at = 0
    while at < len(data):
        value, at = varint(data, at)
        yield value


def message(data):
    """Of protobuf: lists of numbers and of bytes, by number of their field."""
    found, at = collections.defaultdict(list), 0
    while at < len(data):
        key, at = varint(data, at)
        value, at = varint(data, at)
        if key & 7 == 2:
            value, at = data[at:at + value], at + value
        found[key >> 3].append(value)
    return found


def pprof():
    write_stacks()
    with test("pprof has stacks and threads"):
        data = pprof_message()
        samples, mappings, locations, functions = (
            [message(one) for one in data[field]] for field in (2, 3, 4, 5))
        name_of = [data[6][one[2][0]].decode() for one in functions]
        for one in locations:
            mapping = mappings[one[2][0] - 1] if one[2] else None
            assert not mapping or mapping[2][0] <= one[3][0] < mapping[3][0]
        found = collections.Counter()
        for one in samples:
            stack = [message(locations[i - 1][4][0])[1][0] for i in numbers(one[1][0])]
            stack = " ".join(name_of[i - 1].split("+0x")[-1] for i in stack)
            labels = [data[6][text] for label in one[3] for text in message(label)[2]]
            n, ns = numbers(one[2][0])
            assert ns == 1000000 * n
            found[stack, b"worker" in labels] += n
        assert found == {("404000 402000 401000", False): 6, ("[read] 402000 401000", True): 3,
                         ("403000 402000 403000 401000", False): 3, ("404000", False): 1}
        # Each address is one.
        assert data[6][0] == b"" and data[12] == [1000000] and len(locations) == 5
    with test("made code lies in a mapping"):
        Profile().object("/none/prog", 0x401000, 0x403000).stack(
            1, 2, 0x7f0000005010, 0x401010, 0x7f0000001010).write("made")
        data = pprof_message(path="made")
        mapping = message(data[3][1])
        assert (mapping[2], mapping[3]) == ([0x7f0000001000], [0x7f0000006000])
        text, _ = run("-f", "cpuprofile", path="made")
        assert "\n7f0000001000-7f0000006000 r-xp 00000000 00:00 0 [unknown]\n" in text
    with test("pprof has the time from start to end, of one run"):
        assert pprof_message()[10] == [10**9]
        assert pprof_message("--function=*402000")[10] == []
        assert pprof_message(path="runs")[10] == []
    with test("pprof has the other side of --diff as negative samples"):
        samples = [message(one) for one in pprof_message("--diff=" + FILE)[2]]
        values = [next(numbers(one[2][0])) for one in samples]
        assert sum(value for value in values if value < 1 << 63) == 13
        assert sum(value - (1 << 64) for value in values if value >> 63) == -13


def cpuprofile_sum(*options):
    words = array.array("Q", (data := run("-f", "cpuprofile", *options, binary=True)[0])
                        [:len(data) & ~7])
    at, samples = 5, 0
    while words[at]:
        samples, at = samples + words[at], at + 2 + words[at + 1]
    return samples


def waits():
    for options, wanted in ([], 100), (["--wall"], 1850), (["--waits"], 1750):
        few_waits(FILE)
        with test(f"each format has {wanted} ms {options}"):
            found = {
                "csv": sum(int(line.split(",")[0])
                           for line in run("-f", "csv", *options)[0].splitlines()[1:]),
                "folded": sum(folded(*options).values()),
                "callgrind": sum(cost[4] for cost in costs(*options)),
                "gmon": gmon_sum(*options)[0], "cpuprofile": cpuprofile_sum(*options),
                "json": sum(one["endValue"] for one in json.loads(
                    run("-f", "json", *options)[0])["profiles"]) // 10**6,
                "pprof": sum(list(numbers(message(one)[2][0]))[-1]
                             for one in pprof_message(*options)[2]) // 10**6,
                "firefox": sum(sum(one["samples"]["weight"]) for one in json.loads(
                    run("-f", "firefox", *options)[0])["threads"]),
                "html": int(re.search(r'"samples": ?(\d+)', run("--html", *options)[0])[1])}
            assert set(found.values()) == {wanted}, found
            assert sum(sum(one["samples"]["threadCPUDelta"]) for one in json.loads(run(
                "-f", "firefox", *options)[0])["threads"]) == 10**8 * ("--waits" not in options)
    with test("stacks of waits end with what was waited for"):
        stacks_of = {stack.split(";", 1)[1]: n for stack, n in folded("--waits").items()}
        assert stacks_of == {
            "prog+0x401000;[poll] waiting": 1000, "prog+0x401000;prog+0x404000;[read] waiting": 120,
            "prog+0x401000;prog+0x402000;prog+0x404000;[futex] waiting": 600,
            "prog+0x401000;prog+0x402000;prog+0x403000;[waiting for a CPU]": 30}, stacks_of
        assert {cost[:2] for cost in costs("--waits")} == {
            ("[waiting]", f"[{call}] waiting") for call in ("read", "poll", "futex")} | {
            ("[runnable]", "[waiting for a CPU]")}
    with test("pprof has CPU and wall time of each sample"):
        data = pprof_message("--wall")
        units = [[data[6][n].decode() for n in (message(one)[1] + message(one)[2])]
                 for one in data[1]]
        assert units == [["samples", "count"], ["cpu", "nanoseconds"], ["wall", "nanoseconds"]]
        values = [list(numbers(message(one)[2][0])) for one in data[2]]
        assert [sum(value[i] for value in values) for i in range(3)] == [
            1850, 100 * 10**6, 1850 * 10**6]
        data = pprof_message("--waits")
        assert [data[6][message(one)[1][0]] for one in data[1]] == [b"samples", b"waiting"]
    with test("a wait is where the process's objects were then"):
        Profile().object("/none/one", 0x1000, 0x2000).stack(1, 5, 0x1004).stack(
            1, 7, 0x1004, head=WAIT).gone(0x1000, 6).object(
            "/none/two", 0x1000, 0x2000, sample=6).samples(0x1004).stack(
            1, 5, 0x1004, sample=None).stack(1, 3, 0x1004, head=WAIT).write(FILE)
        assert {stack.split(";")[1]: n for stack, n in folded("--waits").items()} == {
            "one+0x1000": 7, "two+0x1000": 3}
    with test("damaged waits leave what was before them"):
        made = prog().stack(1, 5, MAIN).stack(1, 7, MAIN, head=WAIT)
        made.add(1, WAIT | KERNEL, b"\0\0\1\0").write(FILE)
        assert sum(folded("--wall").values()) == 12
        assert "damaged" in run("--wall")[1]


# The columns of version 48 of the format, those of other tables with what they index.
FIREFOX = {
    "samples": {"stack": "stackTable", "time": float, "weight": int, "threadCPUDelta": int},
    "markers": dict.fromkeys(("data", "name", "startTime", "endTime", "phase", "category")),
    "stackTable": {"prefix": "stackTable", "frame": "frameTable", "category": int,
                   "subcategory": int},
    "frameTable": {"func": "funcTable", "address": int, "inlineDepth": int, "category": int,
                   "subcategory": int, "nativeSymbol": "nativeSymbols", "innerWindowID": int,
                   "implementation": None, "line": None, "column": None},
    "funcTable": {"name": "stringArray", "fileName": "stringArray", "lineNumber": int,
                  "columnNumber": None, "resource": "resourceTable", "isJS": bool,
                  "relevantForJS": bool},
    "resourceTable": {"lib": "libs", "name": "stringArray", "host": "stringArray", "type": int},
    "nativeSymbols": dict.fromkeys(("libIndex", "address", "name", "functionSize")),
}
# What an object must have, and what it may have of what the format knows.
FIREFOX_THREAD = {"processType": str, "processStartupTime": float,
                  "processShutdownTime": (float, type(None)), "registerTime": int,
                  "unregisterTime": type(None), "pausedRanges": list, "name": str,
                  "isMainThread": bool, "pid": str, "tid": int, "stringArray": list}
FIREFOX_META = {"interval": (int, float), "startTime": float, "processType": int, "product": str,
                "stackwalk": int, "version": int, "preprocessedProfileVersion": int,
                "markerSchema": list}
FIREFOX_LIB = dict.fromkeys(("arch", "name", "path", "debugName", "debugPath", "breakpadId"), str)


def check_firefox_profile(data):
    check_fields(data, {"meta": dict, "libs": list, "threads": list})
    check_fields(data["meta"], FIREFOX_META, (
        "importedFrom", "symbolicated", "usesOnlyOneStackType", "doesNotUseFrameImplementation",
        "sourceCodeIsNotOnSearchfox", "sampleUnits", "platform", "categories"))
    for one in data["meta"]["categories"]:
        check_fields(one, {"name": str, "color": str, "subcategories": list})
        assert one["subcategories"][0] == "Other"
    used = {lib for thread in data["threads"] for lib in thread["resourceTable"]["lib"]}
    for lib in data["libs"]:
        check_fields(lib, {**FIREFOX_LIB, "codeId": (str, type(None))})
    assert used == set(range(len(data["libs"]))), used


def check_firefox(data, thread):
    """That a thread's tables are as the format has them."""
    sizes = {name: thread[name]["length"] for name in FIREFOX}
    sizes.update(stringArray=len(thread["stringArray"]), libs=len(data["libs"]))
    for table, columns in FIREFOX.items():
        extra = {"length"} | ({"weightType"} if table == "samples" else set())
        assert set(thread[table]) == set(columns) | extra, table
        for name, kind in columns.items():
            column = thread[table][name]
            assert len(column) == sizes[table], (table, name)
            for i, value in enumerate(column):
                if isinstance(kind, str) and value is not None:
                    assert 0 <= value < (i if name == "prefix" else sizes[kind]), (table, name)
                elif kind and not isinstance(kind, str):
                    assert isinstance(value, kind), (table, name, value)
    assert len(set(thread["stringArray"])) == sizes["stringArray"]
    assert thread["samples"]["time"] == sorted(thread["samples"]["time"])
    assert thread["samples"]["weightType"] == "samples"
    check_fields(thread, FIREFOX_THREAD, [*FIREFOX, "processName"])


def firefox_stacks(thread):
    found = collections.Counter()
    for stack, weight in zip(thread["samples"]["stack"], thread["samples"]["weight"]):
        names = []
        while stack is not None:
            function = thread["frameTable"]["func"][thread["stackTable"]["frame"][stack]]
            names.append(thread["stringArray"][thread["funcTable"]["name"][function]])
            stack = thread["stackTable"]["prefix"][stack]
        found[";".join(names[::-1])] += weight
    return found


def firefox():
    with test("firefox has threads, by the rules of the format"):
        data = json.loads(run("--firefox")[0])
        meta = data["meta"]
        assert meta["preprocessedProfileVersion"] == 48 and meta["interval"] == 1
        assert any(one["color"] == "grey" for one in meta["categories"])
        check_firefox_profile(data)
        all_stacks = collections.Counter()
        for thread in data["threads"]:
            check_firefox(data, thread)
            all_stacks += firefox_stacks(thread)
        assert all_stacks == {stack.split(";", 1)[1]: n for stack, n in folded().items()}
        assert sorted(sum(one["samples"]["weight"]) for one in data["threads"]) == [1, 3, 9]
        assert sorted((one["name"], one["tid"]) for one in data["threads"])[-1] == ("worker", 12)
    with test("firefox has samples without times, one after the other"):
        write_flat()
        thread, = json.loads(run("-f", "firefox")[0])["threads"]
        check_firefox(json.loads(run("-f", "firefox")[0]), thread)
        assert sum(thread["samples"]["weight"]) == 75
        assert len(set(thread["samples"]["time"])) == thread["samples"]["length"]


def packed(text):
    """The numbers of a part of the page."""
    return numbers(base64.b64decode(text))


def page(*options, **more):
    """What it has of stacks, and the samples of each lane by the number of their bin."""
    text = run("--html", *options, **more)[0]
    found = json.JSONDecoder().raw_decode(text[text.index('"stacks":{') + 9:])[0]
    lanes = []
    for lane in found["threads"]:
        rest, bins, at = packed(lane["samples"]), collections.Counter(), 0
        for _ in range((next(rest), next(rest))[0]):
            at += next(rest)
            for _ in range(next(rest)):
                bins[at] += 2 + next(rest) if next(rest) & 1 else 1
        lanes.append(bins)
    return found, lanes


def sizes():
    """The page takes not too many bytes. tests/clients/stacks-check.js has what is in it."""
    with test("samples of a long moment are spread"):
        prog(monotonic_ns=5 * 10**9 - 500).stack(1, 100, LEAF).write(FILE)
        assert page()[1] == [dict.fromkeys(range(1, 101), 1)]
    with test("bins become wider for a long time"):
        prog().stack(1, 1, LEAF).stack(1, 1, LEAF, at=10**6).write(FILE)
        found, lanes = page()
        assert (found["width"], found["bins"]) == (200000, 5001) and lanes == [{1: 1, 5001: 1}]
    with test("moments without end take no more memory"):
        made = prog().samples(LEAF, 2000)
        for i in range(200):
            made.add(1, COUNT | SPAN, number(8), number((1 << 63 + i % 2) // 1000 - 1),
                     difference(0), number(0), number(1), difference(LEAF))
        made.write(FILE)
        found, lanes = page()
        assert found["bins"] <= 8192 and sum(lanes[0].values()) == 2000
        status, used = used_by("report", "--html", "-o", "out", FILE)
        assert status == 0 and used.ru_maxrss < 300000, used
    with test("many threads of a name are one lane, and many bins are wide"):
        made = prog(monotonic_ns=5 * 10**9 - 500)
        for thread in range(1, 1003):
            made.name(thread, b"worker" if thread > 1 else b"main")
            made.stack(thread, 2000, LEAF, at=0)
        made.write(FILE)
        found, lanes = page()
        assert found["width"] == 2000 and found["threads"][1]["threads"] == 1001
        assert lanes == [dict.fromkeys(range(1, 1001), n) for n in (2, 2002)]
    with test("the page has a thousand phases, and many take no time"):
        used = []
        for names, waits in (10, 0), (10, 2000), (50000, 0):
            made = prog()
            made.log += b"".join(log_record(PHASE, struct.pack("<Q", 5 * 10**9 + 1000 * i) +
                                            b"%d\0" % (i % names)) for i in range(50000))
            for _ in range(waits):
                made.add(1, COUNT | SPAN, number(2), number(40000), difference(0), number(0),
                         number(1), difference(LEAF))
            made.stack(1, 100, LEAF).write(FILE)
            used.append(used_by("report", "--by=phase", "-o", "out", FILE)[1].ru_utime)
        assert max(used) < 20 * used[0], used
        phases = page()[0]["phases"]
        assert len(phases) == 1000 and phases[-2:] == [[0, 998, "998"], [0, 999, ""]]
    with test("phases have all samples of a long wait"):
        made = prog().stack(1, 3999999, LEAF, head=WAIT)
        made.log += b"".join(log_record(PHASE, struct.pack("<Q", 5 * 10**9 + 1639812345 * i) +
                                        b"%d\0" % (i % 9)) for i in range(1990))
        made.write(FILE)
        rows = re.findall(r"^ *[\d.]+% +(\d+)", run("--wall", "--by=phase")[0], re.M)
        assert sum(map(int, rows)) == 3999999, rows
    with test("a large tree is cut to a size, and what is cut has earlier times"):
        of_stacks("deep", 60000, 800, 60000)
        found, _ = page("--diff=deep", path="deep")
        assert found["least"] > 1 and len(found["tree"]) < 1500000 * 4 / 3 + 10
        assert all(packed(found["before"]))


def comparisons():
    for i, n in enumerate((100, 60, 140, 50)):
        prog(run=i).samples(MAIN, n).samples(ONE, 1000).write(f"run.{i}")
    with test("--diff has the mean of several runs"):
        text, _ = run("--diff=run.0", "--diff=run.1", "run.2", path="run.3")
        assert re.search(r" 0\.095     \+0\.015~  prog\+0x401000 ", text)
        assert "\n1.095 s of CPU time (mean of 2 runs), 1.080 s before (mean of 2 runs): " \
            "+0.015 s, +1.39%\n" in text
    with test("runs of containers have one number, and are several"):
        for name in "day.1", "day.2":
            os.mkdir(name)
            prog(run=7).samples(ONE, 1000).write(f"{name}/prog.9")
        assert "1.000 s of CPU time (mean of 2 runs), " in run(
            "--diff=run.0", "day.1", path="day.2")[0]
        prog(run=7).samples(ONE, 1000).write("day.1/prog.8")
        assert "(mean" not in run("--diff=run.0", "./day.1/prog.8", path="day.1/prog.9")[0]
    with test("--diff tells changes from chance"):
        for old, new, mark in (0, 2, " "), (1, 3, "~"), (0, 3, " "), (2, 0, " "), (3, 1, "~"):
            lines = run(f"--diff=run.{old}", path=f"run.{new}")[0].splitlines()
            line = [line for line in lines if "prog+0x401000" in line][0]
            assert line[26] == line[49] == mark, line
    with test("the page has the earlier time of each call"):
        few_stacks("few.1")
        few_stacks("less.1", busy=10)
        text, _ = run("--html", "--diff=less.1", path="few.1")
        assert list(packed(re.search(r'"before":"([^"]*)', text)[1])) == [
            10000, 8000, 1000, 1000, 7000, 7000, 2000]
        assert re.findall(r'^\["(.*)","prog",false,(\d+)\]', text, re.M) == [
            ("prog+0x404000", "70000000"), ("prog+0x403000", "30000000")]
    with test("namesakes share the earlier time of both"):
        prog().object("/none/other/prog", 0x10401000, 0x10408000, 0x10000000).stack(
            1, 6, ONE, MAIN).stack(1, 4, ONE + 0x10000000, MAIN).write("shared.1")
        assert list(packed(page("--diff=shared.1", path="shared.1")[0]["before"])) == [
            1000, 1000, 600, 400]
    with test("pprof subtracts no sums of different numbers of runs"):
        run("-f", "pprof", "--diff=run.0", "run.1", path="run.2", status=1)


def pprof_message(*options, **more):
    return message(gzip.decompress(run("-f", "pprof", *options, binary=True, **more)[0]))


def gmon_sum(*options):
    """The samples of all histograms, and how many there are; the first one's header."""
    data, _ = run("-f", "gmon", *options, binary=True)
    assert data[:8] == b"gmon\1\0\0\0"
    at, samples, records = 20, 0, 0
    while at < len(data):
        assert data[at] == 0
        n, = struct.unpack_from("<I", data, at + 17)
        samples += sum(struct.unpack_from(f"<{n}H", data, at + 41))
        at, records = at + 41 + 2 * n, records + 1
    assert at == len(data)
    return samples, records, struct.unpack_from("<QQ4xI", data, 21)


def histograms():
    flat = write_flat()
    with test("gmon has the program and counts beyond 16 bits"):
        assert gmon_sum() == (35, 1, (0x401000, 0x403000, 1000))
        assert gmon_sum("--object=lib;x.so")[:2] == (40, 1)
        flat.samples(0x401004, 3 * 65535).write(FILE)
        assert gmon_sum()[:2] == (35 + 3 * 65535, 4)
    with test("gmon has a program, whatever its name begins with"):
        Profile().object("/none/x.solver", 0x1000, 0x2000).object(
            "/none/x.so.1", 0x3000, 0x4000).samples(0x1004, 7).samples(0x3004, 9).write(FILE)
        assert gmon_sum()[0] == 7
    with test("a gmon of more text than memory is refused"):
        Profile().object("/none/prog", 0x1000, 1 << 40).samples((1 << 40) - 8).write(FILE)
        assert run("-f", "gmon", status=1)[0] == ""
    with test("programs that cannot be moved do not overlap"):
        Profile().object("/none/first", 0x401000, 0x403000, offset=0x1000).object(
            "/none/second", 0x400000, 0x402000, offset=0, sample=10).samples(
            0x401004, 21).write(FILE)
        text, _ = run("-f", "cpuprofile")
        (low, high), (second, end) = (
            (int(n, 16) for n in re.search(rf"(\w+)-(\w+) r-xp .*{name}$", text, re.M).groups())
            for name in ("first", "second"))
        # The one with more samples is where it was.
        assert second == 0x400000 and high - low == 0x2000 and low >= end


main(table, processes, names, stacks, pprof, firefox, waits, sizes, comparisons, histograms)
