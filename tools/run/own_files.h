/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Where what belongs to this program is. */
#ifndef OWN_FILES_H
#define OWN_FILES_H

/* Paths of the library that is preloaded, and of profil-report. */
char *own_files_library(void);
char *own_files_report(void);

#endif
