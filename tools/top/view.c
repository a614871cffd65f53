// SPDX-License-Identifier: LGPL-2.1-or-later
#include "top/view.h"
#include "common/compare.h"
#include "common/memory.h"
#include "content/text_columns.h"

#include <curses.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEAD_LINES	4	/* above the list; one more is below it */
#define KEY_ESCAPE	27
#define KEY_DELETE	127
#define KEY_CONTROL(c)	((c) & 31)

/* --- the list --------------------------------------------------------------------- */

static void add_line(struct view *view, struct line line)
{
	if (!line.total)
		return;
	ensure(view->lines, view->n, view->room);
	view->lines[view->n++] = line;
}

static void list_functions(struct view *view)
{
	const struct counts *counts = view->counts;
	uint32_t i;

	for (i = 0; i < counts->nfunctions; i++)
		add_line(view, (struct line){
			i, counts->functions[i].self.last,
			counts_self(&counts->functions[i]),
			counts_total(&counts->functions[i]),
		});
}

static void list_callers(struct view *view)
{
	const struct counts *counts = view->counts;
	uint32_t callee = view->path[view->depth - 1], i;

	for (i = 0; i < counts->ncalls; i++)
		if (counts->calls[i].callee == callee)
			add_line(view, (struct line){
				i, counts->calls[i].time.last,
				counts->calls[i].time.all, counts->calls[i].time.all,
			});
}

static void list_threads(struct view *view)
{
	const struct counts *counts = view->counts;
	uint32_t i;

	for (i = 0; i < counts->nthreads; i++)
		add_line(view, (struct line){
			i, counts->threads[i].time.last,
			counts->threads[i].time.all, counts->threads[i].time.all,
		});
}

static int compare_lines(const void *a, const void *b, void *context)
{
	const struct line *x = a, *y = b;
	enum order order = *(const enum order *)context;
	int now = compare_numbers(y->now, x->now), own = compare_numbers(y->own, x->own);
	int total = compare_numbers(y->total, x->total);

	return (order == ORDER_NOW ? now : order == ORDER_TOTAL ? total : own) ?:
	       own ?: total ?: compare_numbers(x->index, y->index);
}

/* The selection stays at its line, but at the top it stays there. */
static void select_again(struct view *view, uint32_t index)
{
	size_t i;

	for (i = 0; view->selected && i < view->n; i++)
		if (view->lines[i].index == index) {
			view->selected = i;
			break;
		}
	if (view->selected >= view->n)
		view->selected = view->n ? view->n - 1 : 0;
}

void view_update(struct view *view)
{
	static void (*const makers[])(struct view *view) = {
		list_functions, list_callers, list_threads
	};
	uint32_t index = view->selected < view->n ? view->lines[view->selected].index : 0;

	view->n = 0;
	makers[view->list](view);
	if (view->n)
		qsort_r(view->lines, view->n, sizeof(*view->lines), compare_lines,
			&view->order);
	select_again(view, index);
}

/* --- drawing ---------------------------------------------------------------------- */

/* Replaces line @y by @text, which it frees. */
static void put(int y, char *text, attr_t attributes)
{
	char *line = NULL;
	size_t size;
	FILE *out = open_memstream(&line, &size);

	if (!out)
		out_of_memory();
	text_columns_print(out, text, (size_t)COLS, true);
	fclose(out);
	attron(attributes);
	mvaddstr(y, 0, line);
	attroff(attributes);
	free(line);
	free(text);
}

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0;
}

static double per_second(const struct view *view, uint64_t last)
{
	return view->interval_ns ? 1e9 * (double)last / (double)view->interval_ns : 0;
}

static void put_head(const struct view *view, uint64_t now_ns)
{
	static const char *const orders[] = { "share", "%CPU", "total" };
	const struct counts *counts = view->counts;
	uint64_t seconds = (now_ns - view->begun_ns) / 1000000000;

	put(0, format_text("profil top: %s  %" PRIu64 ":%02" PRIu64 ":%02" PRIu64 "%s",
			   view->title, seconds / 3600, seconds / 60 % 60, seconds % 60,
			   view->paused ? "  PAUSED" : ""), A_BOLD);
	put(1, format_text("%" PRIu64 " samples, %.0f/s, %.2f CPUs, %zu threads, "
			   "%zu processes, by %s",
			   counts->samples.all, per_second(view, counts->samples.last),
			   per_second(view, counts->time.last) / 1e9, counts->nthreads,
			   counts->nprocesses, orders[view->order]), 0);
}

static void put_titles(const struct view *view)
{
	const struct top_function *of;

	if (view->list == LIST_CALLERS) {
		of = &view->counts->functions[view->path[view->depth - 1]];
		put(2, format_text("callers of %s (%s)", of->name,
				   view->counts->profile.objects[of->object].name), A_BOLD);
		put(3, format_text("  %%CPU    share   seconds  caller"), A_REVERSE);
	} else if (view->list == LIST_THREADS) {
		put(2, format_text("threads"), A_BOLD);
		put(3, format_text("  %%CPU    share   seconds  thread"), A_REVERSE);
	} else {
		put(2, format_text("functions"), A_BOLD);
		put(3, format_text("  %%CPU    share    total   seconds  function"),
		    A_REVERSE);
	}
}

/* Fills the rest of a line. */
static void print_function(const struct view *view, uint32_t i, FILE *out, int used)
{
	const struct top_function *function = &view->counts->functions[i];
	size_t left = COLS > used + 4 ? (size_t)(COLS - used) : 4;
	size_t object = left / 3 < 24 ? left / 3 : 24;

	text_columns_print(out, function->name, left - object - 1, true);
	fputc(' ', out);
	text_columns_print(out, view->counts->profile.objects[function->object].name,
			   object, true);
}

static void print_thread(const struct view *view, uint32_t i, FILE *out)
{
	const struct top_thread *thread = &view->counts->threads[i];
	const struct top_process *process = &view->counts->processes[thread->process];

	fprintf(out, "%" PRIu32 "  %s, of %s, %" PRIu32, thread->id,
		thread->name ? thread->name : "-", process->name, process->pid);
}

static void print_line(const struct view *view, const struct line *line, FILE *out)
{
	const struct counts *counts = view->counts;
	uint64_t whole = counts->time.all;
	int used;

	if (view->list == LIST_CALLERS)
		whole = counts_total(&counts->functions[view->path[view->depth - 1]]);
	used = fprintf(out, "%6.1f  %6.2f%%", per_second(view, line->now) / 1e7,
		       percent(line->own, whole));
	if (view->list == LIST_FUNCTIONS)
		used += fprintf(out, "  %6.2f%%", percent(line->total, whole));
	used += fprintf(out, " %9.3f  ", (double)line->own / 1e9);
	if (view->list == LIST_THREADS)
		print_thread(view, line->index, out);
	else
		print_function(view, view->list == LIST_CALLERS ?
			       counts->calls[line->index].caller : line->index, out, used);
}

static void put_line(const struct view *view, int y, size_t i)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		out_of_memory();
	print_line(view, &view->lines[i], out);
	fclose(out);
	put(y, text, i == view->selected ? A_REVERSE : 0);
}

static size_t room_for_lines(void)
{
	return LINES > HEAD_LINES + 1 ? (size_t)(LINES - HEAD_LINES - 1) : 1;
}

static void put_list(struct view *view)
{
	size_t room = room_for_lines(), i;

	if (view->selected < view->first)
		view->first = view->selected;
	if (view->selected >= view->first + room)
		view->first = view->selected - room + 1;
	if (view->first && view->n - view->first < room)
		view->first = view->n > room ? view->n - room : 0;
	for (i = 0; i < room && view->first + i < view->n; i++)
		put_line(view, HEAD_LINES + (int)i, view->first + i);
	if (!view->n)
		put(HEAD_LINES, format_text(view->list == LIST_CALLERS ?
			"no callers are known" : view->list == LIST_THREADS ?
			"no call stacks yet: they name the threads" : "no samples yet"), 0);
}

static void put_help(void)
{
	static const char *const lines[] = {
		"up, down, PgUp, PgDn, Home, End   select a line",
		"Enter, right                      show the callers of the function",
		"Backspace, left, Esc              go back",
		"t                                 show threads, or functions again",
		"s                                 sort by share, %CPU or total",
		"z                                 zero: count from now on",
		"p, space                          pause, or go on",
		"h, ?                              show this",
		"q                                 quit; with -p, this ends the profile",
		"",
		"%CPU covers the last interval; share, total and seconds cover the whole",
		"profile. total includes the calls from the function.",
		"",
		"Press any key to go back.",
	};
	size_t i;

	for (i = 0; i < length_of(lines); i++)
		put((int)i, copy_text(lines[i]), 0);
}

void view_draw(struct view *view, const char *said, uint64_t now_ns)
{
	erase();
	if (view->helps) {
		put_help();
	} else {
		put_head(view, now_ns);
		put_titles(view);
		put_list(view);
		put(LINES - 1, copy_text(*said ? said : "h: help  q: quit"), A_DIM);
	}
	refresh();
}

/* --- keys ------------------------------------------------------------------------- */

static void show(struct view *view, enum list list)
{
	view->list = list;
	view->selected = view->first = view->n = 0;
	view_update(view);
}

static void show_callers(struct view *view)
{
	uint32_t index;

	if (view->list == LIST_THREADS || !view->n || view->depth == DEPTH_MOST)
		return;
	index = view->lines[view->selected].index;
	view->path[view->depth++] = view->list == LIST_CALLERS ?
		view->counts->calls[index].caller : index;
	show(view, LIST_CALLERS);
}

static void go_back(struct view *view)
{
	if (view->list == LIST_CALLERS)
		view->depth--;
	show(view, view->depth ? LIST_CALLERS : LIST_FUNCTIONS);
}

static void move_by(struct view *view, int lines)
{
	if (lines < 0 && view->selected < (size_t)-lines)
		view->selected = 0;
	else
		view->selected += (size_t)lines;
	if (view->selected >= view->n)
		view->selected = view->n ? view->n - 1 : 0;
}

static void move_selection(struct view *view, int key)
{
	int page = (int)room_for_lines();

	switch (key) {
	case KEY_UP:
		move_by(view, -1);
		break;
	case KEY_DOWN:
		move_by(view, 1);
		break;
	case KEY_PPAGE:
		move_by(view, -page);
		break;
	case KEY_NPAGE:
		move_by(view, page);
		break;
	case KEY_HOME:
		view->selected = 0;
		break;
	case KEY_END:
		view->selected = view->n ? view->n - 1 : 0;
		break;
	}
}

static void change_list(struct view *view, int key)
{
	switch (key) {
	case '\n':
	case '\r':
	case KEY_ENTER:
	case KEY_RIGHT:
		show_callers(view);
		break;
	case KEY_ESCAPE:
	case KEY_BACKSPACE:
	case KEY_DELETE:
	case KEY_LEFT:
	case '\b':
		go_back(view);
		break;
	case 't':
		if (view->list == LIST_THREADS)
			go_back(view);
		else
			show(view, LIST_THREADS);
		break;
	case 's':
		view->order = (view->order + 1) % ORDERS;
		show(view, view->list);
		break;
	}
}

bool view_key(struct view *view, int key)
{
	if (key == 'q' || key == 'Q')
		return false;
	if (key == KEY_RESIZE)
		return true;
	if (view->helps || key == 'h' || key == '?') {
		view->helps = !view->helps;
	} else if (key == 'p' || key == ' ') {
		view->paused = !view->paused;
	} else if (key == 'z') {
		view->zeroes = true;
	} else if (key == KEY_CONTROL('L')) {
		clearok(stdscr, TRUE);
	} else {
		move_selection(view, key);
		change_list(view, key);
	}
	return true;
}

void view_free(struct view *view)
{
	free(view->lines);
}
