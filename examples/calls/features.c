// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * profil_get_features(): the rates and counters that this machine offers.
 */
#include <libprofil.h>
#include <stdio.h>

int main(void)
{
	static const char *const names[] = {
		[PROFIL_RATE_CLOCK]	= "clock",
		[PROFIL_RATE_TICK]	= "tick",
		[PROFIL_RATE_FAST]	= "fast",
	};
	struct profil_features features = { .size = sizeof(features) };

	if (profil_get_features(&features) < 0) {
		perror("profil_get_features");
		return 1;
	}
	for (int rate = 0; rate < 3; rate++)
		printf("rate %-5s  one sample each %5llu us  %s\n", names[rate],
		       (unsigned long long)features.period_ns[rate] / 1000,
		       features.rates & 1U << rate ? "granted" : "refused");
	printf("up to %u regions in a profile; counters of", features.max_regions);
	for (unsigned int width = 2; width <= 8; width *= 2)
		if (features.widths & width)
			printf(" %u", width);
	printf(" bytes\n");
	return 0;
}
