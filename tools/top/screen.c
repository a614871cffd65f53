// SPDX-License-Identifier: LGPL-2.1-or-later
#include "top/screen.h"
#include "common/memory.h"
#include "common/message.h"

#include <curses.h>
#include <locale.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>
#include <termios.h>
#include <unistd.h>

#define INSTEAD	"use profil COMMAND or profil -d 10 -p PID, and profil report"

static bool shown;

/* What a signal handler needs, as curses may have been interrupted anywhere. */
static struct termios modes;
static char ending[256];
static size_t ending_bytes;

static int add_byte(int byte)
{
	if (ending_bytes < sizeof(ending))
		ending[ending_bytes++] = (char)byte;
	return byte;
}

static void add_ending(const char *name)
{
	const char *text = tigetstr(name);

	if (text && text != (char *)-1)
		tputs(text, 1, add_byte);
}

void screen_check(void)
{
	const char *terminal = getenv("TERM");
	const char *move;
	int error;

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		die("top needs a terminal: " INSTEAD);
	if (!terminal || !*terminal || setupterm(NULL, STDOUT_FILENO, &error) != OK)
		die("the kind of terminal is unknown (TERM is '%s'): set TERM, or " INSTEAD,
		    terminal ? terminal : "");
	move = tigetstr("cup");
	if (!move || move == (char *)-1)
		die("the terminal (TERM is '%s') cannot move its cursor: " INSTEAD,
		    terminal);
}

/* The signal ends this process when the handler returns. */
static void on_signal(int signal)
{
	if (shown) {
		if (write(STDOUT_FILENO, ending, ending_bytes) >= 0)
			tcsetattr(STDIN_FILENO, TCSANOW, &modes);
		shown = false;
	}
	raise(signal);
}

static void watch_signals(void)
{
	static const int signals[] = {
		SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV, SIGSYS, SIGALRM, SIGPIPE,
		SIGPROF, SIGVTALRM, SIGXCPU, SIGXFSZ, SIGIO, SIGPWR, SIGSTKFLT,
	};
	struct sigaction action = {
		.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND,
	};
	size_t i;

	for (i = 0; i < length_of(signals); i++)
		sigaction(signals[i], &action, NULL);
}

/* Text is UTF-8 in any locale of the user, as in reports. */
void screen_begin(void)
{
	tcgetattr(STDIN_FILENO, &modes);
	add_ending("sgr0");
	add_ending("rmcup");
	add_ending("rmkx");
	add_ending("cnorm");
	setlocale(LC_CTYPE, "C.UTF-8");
	watch_signals();
	atexit(screen_end);
	if (!initscr())
		die("cannot use the terminal");
	shown = true;
	cbreak();
	noecho();
	nodelay(stdscr, TRUE);
	keypad(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);
}

void screen_end(void)
{
	if (!shown)
		return;
	endwin();
	shown = false;
}
