/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Files that become shorter while they are read. */
#ifndef SHORTENED_FILE_H
#define SHORTENED_FILE_H

/*
 * elfutils maps the files that it opens, and has no other way for those that it
 * finds itself. What has gone from such a file is a SIGBUS: from now on it ends
 * the program with a message and status 1.
 */
void shortened_file_watch(void);

#endif
