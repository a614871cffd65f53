/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What pure kernel code uses of <linux/processor.h>, for user space. */
#ifndef _TESTS_LINUX_PROCESSOR_H
#define _TESTS_LINUX_PROCESSOR_H

#define cpu_relax()	do { } while (0)

#endif /* _TESTS_LINUX_PROCESSOR_H */
