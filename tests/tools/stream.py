# SPDX-License-Identifier: LGPL-2.1-or-later
"""Parts of a stack stream's records, as <linux/profil_stacks.h> has them."""


def number(n):
    """An unsigned LEB128."""
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    return bytes(out + bytes([n]))


def difference(n):
    return number(n << 1 if n >= 0 else (-n << 1) - 1)


def frames(last, stack):
    """Those of STACK, outermost first, behind the same thread's LAST."""
    keep = 0
    while keep < min(len(last), len(stack)) and last[keep] == stack[keep]:
        keep += 1
    base = last[keep if keep < len(last) else keep - 1] if keep else 0
    out = number(keep) + number(len(stack) - keep)
    for pc in stack[keep:]:
        out += difference(pc - base)
        base = pc
    return out
