/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef JSON_STACKS_H
#define JSON_STACKS_H

#include "content/report.h"

/* speedscope's JSON of a profile with stacks. */
report_writer json_stacks;

#endif
