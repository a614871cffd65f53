/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* As many descriptors as the system allows, if more are needed than usual. */
#ifndef DESCRIPTORS_H
#define DESCRIPTORS_H

void descriptors_allow_all(void);

#endif
