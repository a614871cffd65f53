// SPDX-License-Identifier: LGPL-2.1-or-later
/* A library that test_stacks.c loads while it runs. */
int loaded_later(int n);

int loaded_later(int n) { return n + 1; }
