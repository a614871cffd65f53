// SPDX-License-Identifier: LGPL-2.1-or-later
#include "options.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static uint64_t any_seed(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_REALTIME, &ts);
	return ((uint64_t)ts.tv_nsec ^ (uint64_t)ts.tv_sec) % 1000000;
}

static void begin(struct options *options, int argc, char **argv)
{
	/* What processes of a run exec. */
	if (argc == 2 && strcmp(argv[1], "--nothing") == 0)
		exit(0);
	options->seed = any_seed();
	options->only = OPTIONS_ALL;
}

static void set_processes(struct options *options)
{
	options->processes = (unsigned int)strtoul(optarg, NULL, 0);
	if (options->processes >= 1 && options->processes <= options->most)
		return;
	fprintf(stderr, "1 to %u processes\n", options->most);
	exit(2);
}

int options_next(struct options *options, int argc, char **argv)
{
	char letters[16];
	int option;

	if (optind == 1)
		begin(options, argc, argv);
	snprintf(letters, sizeof(letters), "p:s:a:%s", options->letters);
	while ((option = getopt(argc, argv, letters)) != -1) {
		switch (option) {
		case 'p': set_processes(options); break;
		case 's': options->seed = strtoull(optarg, NULL, 0); break;
		case 'a': options->only = strtoull(optarg, NULL, 0); break;
		case '?':
			fprintf(stderr, "usage: %s\n", options->usage);
			exit(2);
		default: return option;
		}
	}
	return -1;
}
