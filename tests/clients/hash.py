# SPDX-License-Identifier: LGPL-2.1-or-later
"""Hashes a file many times, and what it says about that as JSON, in the
encoding of a module of its own."""
import hashlib
import json
import sys

with open(sys.argv[1], "rb") as file:
    DATA = file.read()
HASHES = [hashlib.sha256(DATA + bytes([i])).hexdigest() for i in range(80)]
TEXT = json.dumps([{"n": i, "hash": h, "all": list(range(200))}
                   for i, h in enumerate(HASHES * 10)])
print(len(json.loads(TEXT.encode("euc_jp").decode("euc_jp"))))
