/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profil top: shows a profile on the terminal while it is made. */
#ifndef TOP_H
#define TOP_H

/* @profil is the path of profil; the options begin at argv[1]. */
int top_main(const char *profil, int argc, char **argv);

#endif
