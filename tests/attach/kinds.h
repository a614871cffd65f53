/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Programs to attach to: each does one thing again and again, and checks the result. */
#ifndef KINDS_H
#define KINDS_H

#define KINDS_MOST	32

/* In memory that the test shares with the program. */
struct shared {
	int	stop;
	char	error[200];		/* the first check that failed */
	long	rounds[KINDS_MOST];
};

extern struct shared *shared;

struct kind {
	const char	*name;
	void		(*begin)(void);		/* once; may be NULL */
	void		(*round)(void);
	int		alone;			/* not in a program with threads */
	int		tender;			/* see attach.c */
};

extern const struct kind kinds[];
extern const int nkinds;

/* Runs kind number @kind, or with -1 all that may have threads, in 64 threads. */
void kinds_run(int kind);

#endif
