// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * An ordinary program. For the numbers below its argument, it counts the primes,
 * and finds the most steps of Collatz's rule down to 1. "profil plain" shows
 * which of the two takes the time.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) bool is_prime(unsigned long n)
{
	unsigned long divisor;

	for (divisor = 2; divisor * divisor <= n; divisor++)
		if (n % divisor == 0)
			return false;
	return n > 1;
}

static __attribute__((noinline)) unsigned long count_steps(unsigned long n)
{
	unsigned long steps = 0;

	for (; n > 1; steps++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return steps;
}

int main(int argc, char **argv)
{
	unsigned long most = argc > 1 ? strtoul(argv[1], NULL, 0) : 400000;
	unsigned long n, primes = 0, steps = 0;

	for (n = 1; n < most; n++) {
		primes += is_prime(n);
		if (count_steps(n) > steps)
			steps = count_steps(n);
	}
	printf("%lu primes, %lu steps at most\n", primes, steps);
	return 0;
}
