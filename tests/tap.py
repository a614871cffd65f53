# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests in Python, and TAP."""
import contextlib
import traceback

results = []
seen = []   # by a test: it explains why that fails


def ok(good, name, why=""):
    results.append(good)
    print(f"{'' if good else 'not '}ok {len(results)} - {name}")
    lines = [] if good else why.splitlines()
    print("".join(f"# {line}\n" for line in lines), end="", flush=True)


@contextlib.contextmanager
def test(name):
    """A test: what is in it fails by an exception."""
    seen.clear()
    why = []
    try:
        yield
    except Exception:  # pylint: disable=broad-except
        why = traceback.format_exc().splitlines()[-3:]
        for text in seen[-3:]:
            why += text.splitlines()[:30] + ["..."] + text.splitlines()[-5:]
    ok(not why, name, "\n".join(why))


def finish():
    print(f"1..{len(results)}")
    return 0 if all(results) else 1
