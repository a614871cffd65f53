# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Tells the data races of the kernel itself, which KCSAN reports by the dozen,
# from those in which a module takes part, by a frame of either stack, but for
# one: a page fault that a module asks for is the kernel's own business with its
# page tables.
# The same console comes out, but for the headlines of the kernel's own, which no
# longer are complaints.
# The number of their lines stays. What other CPUs print amid a report stays.
# Nor is it a complaint that KCSAN does not find a frame that it wants to show.

function flush(	i)
{
	for (i = 1; i <= n; i++) {
		if (i == 1 && !module)
			sub(/BUG: KCSAN:/, "KCSAN, in the kernel itself:",
			    held[i])
		print held[i]
	}
	n = module = fault = 0
}

{ sub(/\r$/, "") }

/WARNING: .* at kernel\/kcsan\// { own = 1; sub(/WARNING:/, "KCSAN warns:") }
own { sub(/Call Trace:/, "Its frames:") }
/---\[ end trace / { own = 0 }

/BUG: KCSAN: / { flush(); n = 1; held[1] = $0; next }

n {
	held[++n] = $0
	if (/(read|write).* to 0x[0-9a-f]+ of [0-9]+ bytes by /)
		fault = 0
	if (/ handle_mm_fault\+0x/)
		fault = 1
	if (!fault && /\+0x[0-9a-f]+\/0x[0-9a-f]+ \[[a-z0-9_]+\]$/)
		module = 1
	if (/Reported by Kernel Concurrency Sanitizer/)
		flush()
	next
}

{ print }

END { flush() }
