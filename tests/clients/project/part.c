// SPDX-License-Identifier: LGPL-2.1-or-later
/* Something for the compiler to do. */
#define PASTE(a, b) a##b
#define NAME(a, b) PASTE(a, b)
#define EIGHT(m, n) m(n##0) m(n##1) m(n##2) m(n##3) m(n##4) m(n##5) m(n##6) m(n##7)

#define FUNCTION(n)							\
int NAME(NAME(f, PART), _##n)(int *a, int *b, int c)			\
{									\
	int sum = 0x##n;						\
	for (int i = 0; i < c; i++) {					\
		for (int j = 0; j < 16; j++)				\
			sum += a[i + j] * b[j] + (a[j] ^ sum >> j % 5);	\
		switch (sum & 7) {					\
		case 0: sum += b[i]; break;				\
		case 3: sum *= 3; break;				\
		case 5: sum -= a[i]; break;				\
		default: sum ^= c;					\
		}							\
	}								\
	return sum;							\
}

EIGHT(FUNCTION, 1)
EIGHT(FUNCTION, 2)
