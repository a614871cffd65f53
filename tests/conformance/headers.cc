// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Each system's headers from C++, in a file of its own that is built with that
 * system's flags and -DSYSTEM_name; all of them are linked to one program.
 */
#if defined(SYSTEM_solaris)
#include <pcsample.h>
#include <unistd.h>
#define START(buf, size, pc)	(profil(buf, size, pc, 0x8000), pcsample(0, -1))
#elif defined(SYSTEM_irix)
#include <sys/profil.h>
#include <sys/time.h>
#include <unistd.h>
#define START(buf, size, pc)	profil(buf, size, pc, 0x8000)
#elif defined(SYSTEM_hpux)
#include <sys/profil.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#define START(buf, size, pc)	(profil(buf, size, pc, 0x8000), \
				 sysconf(_SC_PROFIL_MAX))
#elif defined(SYSTEM_tru64)
#include <sys/resource.h>
#include <sys/sysinfo.h>
#define START(buf, size, pc)	profil(buf, size, pc, 0x8000)
#elif defined(SYSTEM_aix)
#include <mon.h>
#define START(buf, size, pc)	profil(buf, size, pc, 0x8000)
#elif defined(SYSTEM_bsd)
#include <unistd.h>
#define START(buf, size, pc)	profil((char *)buf, size, pc, 0x8000)
#elif defined(SYSTEM_glibc)
#include <sys/profil.h>
#include <unistd.h>
#define START(buf, size, pc)	profil(buf, size, pc, 0x8000)
#endif

#define NAME2(system)	start_##system
#define NAME(system)	NAME2(system)

extern "C" void NAME(SYSTEM)(unsigned short *buf, unsigned int size,
			     unsigned long pc)
{
	(void)START(buf, size, pc);
}
