/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Paths of the files that profil needs. */
#ifndef OWN_FILES_H
#define OWN_FILES_H

/* The preload library, profil-report and profil-serve. */
char *own_files_library(void);
char *own_files_report(void);
char *own_files_server(void);

/* This program. */
char *own_files_profil(void);

#endif
