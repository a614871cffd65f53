# SPDX-License-Identifier: LGPL-2.1-or-later
"""Writes rows as JSON, reads them again, and counts and sorts the words in the text."""
import collections
import json
import re

rows = [{"number": i, "name": f"name {i * 7919 % 99991}", "ends": [i // 2, i * 2]}
        for i in range(150000)]
text = json.dumps(rows)
rows = json.loads(text)
words = re.findall(r"[a-z]+ ?\d*", text)
counts = collections.Counter(words)
words.sort()
print(len(rows), len(words), len(counts), words[-1])
