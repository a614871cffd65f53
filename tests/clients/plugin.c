// SPDX-License-Identifier: LGPL-2.1-or-later
/* A plugin whose function is called PLUGIN. */
void PLUGIN(unsigned long n);

static volatile unsigned long sink;

void PLUGIN(unsigned long n)
{
	for (unsigned long i = 0; i < n; i++)
		sink += i;
}
