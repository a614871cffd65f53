/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Gives the process descriptors of profil, over a socket. So the process needs no path
 * to them, and no right to open them: it may be in a container, or another user's.
 */
#ifndef HANDOVER_H
#define HANDOVER_H

#include "attach/remote.h"

struct handover {
	int	file;		/* what is handed over */
	int	device;
};

/* Where the process has room for the arguments of our calls. */
#define HANDOVER_BYTES	512UL

/*
 * @own becomes @given as our thread in the process knows them. @room is memory of the
 * process, HANDOVER_BYTES of it. False after a message.
 */
bool handover_make(struct remote *remote, const struct handover *own,
		   unsigned long room, struct handover *given);

#endif
