# SPDX-License-Identifier: LGPL-2.1-or-later
"""Holds a file against what speedscope's schema requires of a file with sampled
profiles, and prints the weight of each frame that is innermost."""
import json
import sys


UNITS = ("bytes", "microseconds", "milliseconds", "nanoseconds", "none",
         "seconds")


def is_number(value):
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_index(value, sequence):
    return type(value) is int and 0 <= value < len(sequence)


def check_fields(thing, required, optional):
    """It has these fields and no others, all of their types."""
    assert isinstance(thing, dict)
    assert required.keys() <= thing.keys() <= required.keys() | optional.keys()
    for name, value in thing.items():
        kind = (required | optional)[name]
        assert is_number(value) if kind is float else isinstance(value, kind), \
            name


def check_frame(frame):
    check_fields(frame, {"name": str}, {"file": str, "line": float, "col": float})
    # Lines are counted from 1.
    assert frame.get("line", 1) >= 1


def check_profile(profile, frames):
    check_fields(profile, {"type": str, "name": str, "unit": str,
                           "startValue": float, "endValue": float,
                           "samples": list, "weights": list}, {})
    assert profile["type"] == "sampled"
    assert profile["unit"] in UNITS
    assert len(profile["samples"]) == len(profile["weights"]) > 0
    for stack in profile["samples"]:
        assert isinstance(stack, list) and stack
        assert all(is_index(frame, frames) for frame in stack)
    assert all(is_number(weight) and weight > 0
               for weight in profile["weights"])
    total = sum(profile["weights"])
    assert abs(total - profile["endValue"] + profile["startValue"]) < 1


def check(data):
    check_fields(data, {"$schema": str, "shared": dict, "profiles": list},
                 {"name": str, "exporter": str, "activeProfileIndex": float})
    assert data["$schema"] == \
        "https://www.speedscope.app/file-format-schema.json"
    check_fields(data["shared"], {"frames": list}, {})
    assert is_index(data.get("activeProfileIndex", 0), data["profiles"])
    for frame in data["shared"]["frames"]:
        check_frame(frame)
    for profile in data["profiles"]:
        check_profile(profile, data["shared"]["frames"])


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
