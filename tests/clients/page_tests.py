# SPDX-License-Identifier: LGPL-2.1-or-later
"""The page in a browser, of 30, 5,000 and 15,000 functions, and of 20,000 and a million
samples with stacks and waits, light on a desk's screen and dark on a phone's.
PICTURES is a directory to leave pictures in."""
import html
import json
import os
import re
import shutil
import subprocess
import sys

from harness import PROFIL, execute, read, test, write

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.append(f"{HERE}/../tools")
import pages    # pylint: disable=wrong-import-position  # noqa: E402

DARK, LIGHT = 0, 1

FRAME = """<!DOCTYPE html>
<iframe style="width: {}px; height: 1400px; border: 0" src="checked.html"></iframe>
<pre></pre>
<script>
addEventListener("message", event => {{
	document.querySelector("pre").textContent = event.data;
}});
</script>
"""
# Opens rows of the table, for a picture.
OPEN = """<script>rows = document.querySelectorAll("td.name button");
for (const row of rows) if (/^wide|twice/.test(row.textContent)) row.click();</script>
"""


def browse(width, scheme, *options):
    return subprocess.run(
        ["timeout", "300", "chromium", "--headless", "--no-sandbox", "--disable-gpu",
         "--hide-scrollbars", f"--user-data-dir={os.getcwd()}/chromium",
         f"--window-size={width},1400", "--virtual-time-budget=10000",
         f"--blink-settings=preferredColorScheme={scheme}", *options], check=False,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()


def check(checks, name, width=1280, scheme=LIGHT):
    """What is narrower than a window can be has a frame in it."""
    script = "".join(read(f"{HERE}/{one}") for one in ("check.js", checks))
    script = script.replace("</script", "<\\/script")
    said = json.dumps(read("report.txt")).replace("<", "\\u003c")
    write("checked.html", read("page.html") +
          f"<script>const WIDTH = {width}, REPORT = {said};</script>\n"
          f'<script>"use strict";\n{{\n{script}}}</script>\n')
    write("frame.html", FRAME.format(width))
    name = f"{name}, {width} pixels, {'light' if scheme else 'dark'}"
    found = re.search("RESULT\n(.*)\nEND", browse(
        1400, scheme, "--dump-dom", f"file://{os.getcwd()}/frame.html"), re.S)
    with test(f"{name}: the page works"):
        lines = html.unescape(found[1]).splitlines()
        print("".join(f"#   {line}\n" for line in lines), end="")
        wrong = [line for line in lines if not line.startswith("ok ")]
        assert len(lines) > 20 and not wrong, wrong
    if "PICTURES" in os.environ:
        write("opened.html", read("page.html") + OPEN)
        browse(width, scheme, f"file://{os.getcwd()}/opened.html",
               f"--screenshot={os.environ['PICTURES']}/{name}.png")


def check_all(checks, name):
    """What depends on the width are places, and on the scheme colours."""
    check(checks, name, 1280, LIGHT)
    check(checks, name, 390, DARK)


def stacks_page(samples, functions, stacks, *options):
    """A page.html of so many, and report.txt."""
    shutil.rmtree("stacks", ignore_errors=True)
    pages.of_stacks("stacks", samples, functions, stacks, waits=bool(options))
    execute(PROFIL, "report", *options, "--html", "-o", "page.html", "stacks")
    execute(PROFIL, "report", *options, "-n", "0", "-o", "report.txt", "stacks")


def check_small(name):
    with test(f"{name} is small"):
        size = os.stat("page.html").st_size
        print(f"# {size} bytes")
        assert size < 6000000


def run():
    stacks_page(20000, 400, 2000)
    check("stacks-check.js", "20,000 stacks")
    stacks_page(20000, 400, 2000, "--wall")
    check("stacks-check.js", "20,000 stacks with waits", 390, DARK)
    stacks_page(1000000, 800, 10000)
    check("stacks-check.js", "a million stacks")
    check_small("a page of a million samples")
    stacks_page(250000, 800, 250000)
    check_small("a page whose stacks are all different")
    check("stacks-check.js", "different stacks")
    # A program with source, inlined calls and a very long line.
    write("wide.cc", read(f"{HERE}/../tools/fixtures/inlined.cc") +
          'extern "C" int wide() { return 1' +
          "".join(f" + has_calls({i})" for i in range(1, 401)) + "; }\n")
    execute("g++", "-O2", "-g", "-fPIC", "-shared", "-o", "wide.so", "wide.cc")
    write("report.txt", "")
    for n in 30, 5000, 15000:
        pages.of_functions(f"pages-{n}", n, f"{os.getcwd()}/wide.so")
        execute(PROFIL, "report", "--html", "-o", "page.html", f"pages-{n}")
        check_all("page-check.js", f"{n} functions")
