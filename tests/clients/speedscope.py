# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds a file against what speedscope requires of a sampled profile, and
prints the weight of each frame that is innermost."""
import json
import sys


def check(data):
    assert data["$schema"] == \
        "https://www.speedscope.app/file-format-schema.json"
    frames = data["shared"]["frames"]
    for frame in frames:
        assert isinstance(frame["name"], str)
        assert set(frame) <= {"name", "file", "line", "col"}
        assert isinstance(frame.get("line", 1), int)
    for profile in data["profiles"]:
        assert set(profile) == {"type", "name", "unit", "startValue",
                                "endValue", "samples", "weights"}
        assert profile["type"] == "sampled"
        assert profile["unit"] in ("none", "nanoseconds", "microseconds",
                                   "milliseconds", "seconds", "bytes")
        assert len(profile["samples"]) == len(profile["weights"])
        assert all(0 <= frame < len(frames)
                   for stack in profile["samples"] for frame in stack)
        total = sum(profile["weights"])
        assert abs(total - profile["endValue"] + profile["startValue"]) < 1


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        data = json.load(file)
    check(data)
    weights = {}
    profile = data["profiles"][0]
    for stack, weight in zip(profile["samples"], profile["weights"]):
        name = data["shared"]["frames"][stack[-1]]["name"]
        weights[name] = weights.get(name, 0) + weight
    for name in sorted(weights, key=lambda name: -weights[name]):
        print(f"{weights[name]:.3f} {name}")


main()
