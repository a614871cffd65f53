# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Succeeds on a console whose kernel died of a breakpoint that is not in memory:
# the byte before RIP is no cc. The kernel waits for all CPUs before it forgets a
# breakpoint of its patching (of ftrace, a kprobe, a tracepoint), so only a
# translation that QEMU should have thrown away can have it. (QEMU forgets what it
# translated from a page before it changes the page, and another CPU may come
# between.) Seen on two CPUs 15 ms apart, with the same clean memory shown for
# both.

/ int3: 0000 \[#/ { died = 1 }
died && / Code: / { stale = !/ cc </; exit }
END { exit !stale }
