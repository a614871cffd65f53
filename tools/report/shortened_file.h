/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that become shorter while they are read. */
#ifndef SHORTENED_FILE_H
#define SHORTENED_FILE_H

/*
 * elfutils maps files. If one becomes shorter, access to the missing part raises
 * SIGBUS. After this call, SIGBUS ends the program with a message and status 1.
 */
void shortened_file_watch(void);

#endif
