// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * Names, lines and inlined calls, of libraries that are built for the purpose:
 * FIXTURES is where they are. They have no .debug_aranges, as those of clang.
 */
#include "unit.h"
#include "common/regular_file.h"
#include "object/address_ranges.h"
#include "object/frames.h"
#include "object/jit_map.h"
#include "object/symbols.h"
#include "object/sysroot.h"
#include "synthetic.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#define NO_PID		4294967295U	/* that no process has */

static size_t walked;

/* How many entries of debug information have been looked at. */
int __real_dwarf_siblingof(Dwarf_Die *die, Dwarf_Die *result);
int __wrap_dwarf_siblingof(Dwarf_Die *die, Dwarf_Die *result);
int __wrap_dwarf_siblingof(Dwarf_Die *die, Dwarf_Die *result)
{
	walked++;
	return __real_dwarf_siblingof(die, result);
}

static struct object fixture(const char *path)
{
	return (struct object){
		.path = (char *)(uintptr_t)path, .shown = (char *)(uintptr_t)path,
		.name = "fixture", .high = 1 << 20,
	};
}

/* The address in its file of what @library exports. */
static uint64_t address_of(const char *library, const char *symbol)
{
	void *handle = dlopen(library, RTLD_NOW);
	char *address = handle ? dlsym(handle, symbol) : NULL;
	Dl_info info;

	assert_non_null(address);
	assert_int_not_equal(dladdr(address, &info), 0);
	return (uint64_t)(address - (char *)info.dli_fbase);
}

/* A name, or ":" and a part of it. */
static bool is_called(const char *name, const char *wanted)
{
	return wanted[0] == ':' ? strstr(name, wanted + 1) != NULL :
				  !strcmp(name, wanted);
}

/* The first address of a function that has @frame in it. */
static uint64_t find_frame(struct object *object, const char *function,
			   const char *frame, struct frame frames[FRAMES_MOST],
			   size_t *n)
{
	uint64_t address;
	size_t i;

	for (address = 0x1000; address < 0x40000; address++) {
		if (!is_called(symbols_function(object, address)->name, function))
			continue;
		*n = frames_at(object, address, frames);
		for (i = 0; i < *n; i++)
			if (!strcmp(frames[i].name, frame))
				return address;
	}
	return 0;
}

static void lines_need_no_aranges(void **state)
{
	struct object object = fixture(FIXTURES "/inlined.so");
	struct line line = frames_line(&object,
		address_of(FIXTURES "/inlined.so", "has_calls"));

	(void)state;
	assert_non_null(line.file);
	assert_non_null(strstr(line.file, "/fixtures/inlined.cc"));
	assert_int_equal(line.number, 23);
	symbols_free(&object);
}

static void inlined_calls_are_frames(void **state)
{
	struct object object = fixture(FIXTURES "/inlined.so");
	struct frame frames[FRAMES_MOST];
	size_t n;

	(void)state;
	assert_int_not_equal(find_frame(&object, "has_calls", "twice(int)", frames,
					&n), 0);
	assert_int_equal(n, 2);
	assert_string_equal(frames[0].name, "twice(int)");
	assert_in_range(frames[0].line.number, 6, 11);
	assert_int_equal(frames[0].declared.number, 6);
	assert_non_null(strstr(frames[0].declared.file, "inlined.cc"));
	assert_string_equal(frames[1].name, "has_calls");
	assert_int_equal(frames[1].line.number, 29);
	symbols_free(&object);
}

/* Go's linker has written such ones. */
static void wrong_aranges_are_not_believed(void **state)
{
	struct object object = fixture(FIXTURES "/aranges.so");
	struct line line = frames_declaration(&object,
		address_of(FIXTURES "/aranges.so", "first"));

	(void)state;
	assert_non_null(line.file);
	assert_string_equal(line.file, "/aranges.c");
	assert_int_equal(line.number, 10);
	line = frames_declaration(&object,
		address_of(FIXTURES "/aranges.so", "second"));
	assert_int_equal(line.number, 20);
	symbols_free(&object);
}

static void split_units_have_lines_and_inlined_calls(void **state)
{
	struct object object = fixture(FIXTURES "/split.so");
	struct frame frames[FRAMES_MOST];
	size_t n;

	(void)state;
	assert_int_not_equal(find_frame(&object, "has_calls", "twice(int)", frames,
					&n), 0);
	assert_int_equal(n, 2);
	assert_in_range(frames[0].line.number, 6, 11);
	assert_int_equal(frames[0].declared.number, 6);
	assert_non_null(strstr(frames[0].declared.file, "inlined.cc"));
	assert_int_equal(frames[1].line.number, 29);
	assert_non_null(strstr(frames[1].line.file, "inlined.cc"));
	symbols_free(&object);
}

static void calls_inlined_into_a_lambda_are_frames(void **state)
{
	struct object object = fixture(FIXTURES "/inlined.so");
	struct frame frames[FRAMES_MOST];
	size_t n;

	(void)state;
	assert_int_not_equal(find_frame(&object, ":lambda(int)#1}::operator",
					"twice(int)", frames, &n), 0);
	assert_int_equal(n, 2);
	assert_int_equal(frames[1].line.number, 25);
	symbols_free(&object);
}

static void calls_inlined_into_a_nested_function_are_frames(void **state)
{
	struct object object = fixture(FIXTURES "/many.so");
	struct frame frames[FRAMES_MOST];
	size_t n;

	(void)state;
	assert_int_not_equal(find_frame(&object, ":nested.", "inner", frames, &n), 0);
	assert_int_equal(n, 2);
	symbols_free(&object);
}

/* Asks for frames in each of the functions; how many have an inlined one. */
static unsigned int ask_all(struct object *object)
{
	struct frame frames[FRAMES_MOST];
	unsigned int i, inlined = 0;
	char name[32];

	for (i = 100; i < 600; i++) {
		uint64_t address, start;

		snprintf(name, sizeof(name), "function_%u", i);
		start = address_of(FIXTURES "/many.so", name);
		for (address = start; address < start + 8; address++)
			inlined += frames_at(object, address, frames) == 2;
	}
	return inlined;
}

static void a_unit_is_read_once_however_much_is_asked(void **state)
{
	struct object object = fixture(FIXTURES "/many.so");

	(void)state;
	walked = 0;
	assert_in_range(ask_all(&object), 500, 4000);
	/* 500 functions with an entry or two each. */
	assert_in_range(walked, 500, 5000);
	walked = 0;
	ask_all(&object);
	assert_int_equal(walked, 0);
	symbols_free(&object);
}

static bool has_function(struct object *object, const char *name, uint64_t size)
{
	uint64_t address = 0;

	while (address < 0x40000) {
		const struct function *function =
			symbols_function(object, address);

		if (!strcmp(function->name, name) &&
		    (!size || function->end - function->start == size))
			return true;
		address = function->end > address ? function->end : address + 1;
	}
	return false;
}

static void entries_of_the_linkage_table_have_names(void **state)
{
	struct object object = fixture(FIXTURES "/inlined.so");

	(void)state;
	assert_true(has_function(&object, "puts@plt", 16));
	symbols_free(&object);
	object = fixture(FIXTURES "/narrow.so");
	assert_true(has_function(&object, "outside@plt", 16));
	symbols_free(&object);
}

static int find_vdso(struct dl_phdr_info *info, size_t size, void *context)
{
	struct object *object = context;
	int i;

	(void)size;
	if (info->dlpi_addr != getauxval(AT_SYSINFO_EHDR))
		return 0;
	for (i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *header = &info->dlpi_phdr[i];
		const ElfW(Nhdr) *note = (void *)(info->dlpi_addr + header->p_vaddr);

		if (header->p_type != PT_NOTE)
			continue;
		while (note->n_type != NT_GNU_BUILD_ID)
			note = (void *)((char *)(note + 1) +
					((note->n_namesz + 3) & ~3U) +
					((note->n_descsz + 3) & ~3U));
		object->build_id_size = note->n_descsz;
		memcpy(object->build_id, (char *)(note + 1) + 4, note->n_descsz);
	}
	return 1;
}

static void the_kernels_code_in_the_process_has_names(void **state)
{
	struct object object = fixture("[vdso]");

	(void)state;
	assert_int_equal(dl_iterate_phdr(find_vdso, &object), 1);
	assert_int_not_equal(object.build_id_size, 0);
	object.high = 4096;
	assert_true(has_function(&object, "clock_gettime", 0) ||
		    has_function(&object, "__vdso_clock_gettime", 0));
	symbols_free(&object);
	/* Of another kernel. */
	object.build_id[0] ^= 1;
	assert_false(has_function(&object, "clock_gettime", 0) ||
		     has_function(&object, "__vdso_clock_gettime", 0));
	symbols_free(&object);
}

/* --- files that somebody else has put there ----------------------------------- */

static const char *in_directory(const char *name)
{
	static char path[2][300];
	static int next;

	next ^= 1;
	snprintf(path[next], sizeof(path[next]), "%s/%s", synthetic_directory(),
		 name);
	unlink(path[next]);
	return path[next];
}

static void write_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	assert_non_null(out);
	fputs(text, out);
	fclose(out);
}

static char pieces[1000];

static void note_piece(void *context, uint64_t start, uint64_t end,
		       const char *name)
{
	size_t at = strlen(pieces);

	(void)context;
	snprintf(pieces + at, sizeof(pieces) - at, "%llx-%llx %s\n",
		 (unsigned long long)start, (unsigned long long)end, name);
}

static const char *read_map(uint32_t owner)
{
	pieces[0] = '\0';
	jit_map_read(synthetic_directory(), NO_PID, owner, note_piece, NULL);
	return pieces;
}

static const char *map_path(void)
{
	char name[40];

	snprintf(name, sizeof(name), "perf-%u.map", NO_PID);
	return in_directory(name);
}

static void of_two_pieces_at_one_address_it_is_the_newer(void **state)
{
	(void)state;
	write_file(map_path(), "1000 100 old\n2000 100 other\nnonsense\n"
		   "1000 80 new\n");
	assert_string_equal(read_map(geteuid()),
			    "1000-1080 new\n1080-1100 old\n2000-2100 other\n");
	write_file(map_path(), "1010 10 old\n1000 100 new one\n");
	assert_string_equal(read_map(geteuid()),
			    "1000-1010 new one\n1010-1100 new one\n");
	write_file(map_path(), "1000 100 old\n1010 10 new\nffffffffffffff00 200 x\n");
	assert_string_equal(read_map(geteuid()),
			    "1000-1010 old\n1010-1020 new\n1020-1100 old\n");
}

/* Nobody reads a hole of terabytes to see what is behind it. */
static void a_map_ends_where_it_is_no_text(void **state)
{
	const char *map = map_path();
	FILE *out;

	(void)state;
	write_file(map, "1000 100 good\n2000 100 ");
	assert_int_equal(truncate(map, 1 << 20), 0);
	out = fopen(map, "a");
	assert_non_null(out);
	fputs("\n3000 100 behind\n", out);
	fclose(out);
	assert_string_equal(read_map(geteuid()), "1000-1100 good\n");
	write_file(map, "1000 100 good\n2000 100 last");
	assert_string_equal(read_map(geteuid()),
			    "1000-1100 good\n2000-2100 last\n");
}

static void a_map_of_somebody_else_is_not_read(void **state)
{
	(void)state;
	write_file(map_path(), "1000 100 old\n");
	assert_string_equal(read_map(geteuid() + 1), "");
}

static void a_map_that_is_a_link_is_not_read(void **state)
{
	const char *map = map_path();

	(void)state;
	write_file(in_directory("elsewhere"), "1000 100 old\n");
	assert_int_equal(symlink("elsewhere", map), 0);
	assert_string_equal(read_map(geteuid()), "");
}

/* Nobody ever writes into it: opening it as a file waits for ever. */
static void a_fifo_holds_nothing_up(void **state)
{
	struct object object;
	const char *path;

	(void)state;
	alarm(60);
	assert_int_equal(mkfifo(map_path(), 0666), 0);
	assert_string_equal(read_map(geteuid()), "");

	path = in_directory("fifo");
	assert_int_equal(mkfifo(path, 0666), 0);
	assert_null(sysroot_source(path));
	assert_int_equal(regular_file_open(path), -1);
	assert_int_equal(errno, EINVAL);
	object = fixture(path);
	assert_string_equal(symbols_function(&object, 0x1234)->name,
			    "fixture+0x1000");
	symbols_free(&object);
	alarm(0);
}

/* With a FIFO called @name beside it, @library has no debug information. */
static void assert_fifo_is_passed_over(const char *library, const char *name)
{
	const char *fifo = in_directory(name);
	struct frame frames[FRAMES_MOST];
	struct object object;
	char command[700];
	uint64_t address;

	alarm(60);
	assert_int_equal(mkfifo(fifo, 0666), 0);
	snprintf(command, sizeof(command), "cp %s/%s %s/", FIXTURES, library,
		 synthetic_directory());
	assert_int_equal(system(command), 0);
	snprintf(command, sizeof(command), "%s/%s", synthetic_directory(),
		 library);
	object = fixture(command);
	for (address = 0x1000; address < 0x1200; address++) {
		assert_int_equal(frames_at(&object, address, frames), 1);
		assert_null(frames[0].line.file);
	}
	symbols_free(&object);
	unlink(fifo);
	alarm(0);
}

static void a_fifo_where_debug_information_is_looked_for(void **state)
{
	(void)state;
	assert_fifo_is_passed_over("linked.so", "inlined.debug");
}

static void a_fifo_where_a_split_units_debug_information_is(void **state)
{
	(void)state;
	assert_fifo_is_passed_over("split.so", "split.dwo");
	assert_fifo_is_passed_over("split.so", "split.so.dwp");
}

static void a_fifo_where_common_debug_information_is(void **state)
{
	(void)state;
	assert_fifo_is_passed_over("common.so", "common.debug");
}

#define BUILD_ID	"/usr/lib/debug/.build-id/01/" \
			"23456789abcdef0123456789abcdef01234567.debug"

static void run(const char *command)
{
	assert_int_equal(system(command), 0);
}

/* A root with a program; the debug information's path in it. */
static const char *make_root(const char *program)
{
	static char path[400];
	char command[900];

	snprintf(command, sizeof(command),
		 "rm -rf %1$s/root && mkdir -p %1$s/root/usr/lib/debug/.build-id/01 && "
		 "cp " FIXTURES "/%2$s %1$s/root/", synthetic_directory(), program);
	run(command);
	snprintf(path, sizeof(path), "%s/root" BUILD_ID, synthetic_directory());
	return path;
}

static void remove_root(void)
{
	char command[400];

	sysroot_set("");
	snprintf(command, sizeof(command), "rm -rf %s/root", synthetic_directory());
	run(command);
}

static void debug_information_is_found_below_a_relative_root(void **state)
{
	struct object object = fixture("/identified.so");
	char command[700], before[4096];
	uint64_t address = address_of(FIXTURES "/identified.so", "has_calls");
	struct line line;

	(void)state;
	snprintf(command, sizeof(command), "cp " FIXTURES "/identified.debug %s",
		 make_root("identified.so"));
	run(command);
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(chdir(synthetic_directory()), 0);
	sysroot_set("root");
	line = frames_line(&object, address);
	assert_non_null(line.file);
	assert_int_equal(line.number, 23);
	symbols_free(&object);
	assert_int_equal(chdir(before), 0);
	remove_root();
}

static void a_fifo_where_debug_information_below_the_root_is(void **state)
{
	static const char *const names[][2] = {
		{ "identified.so", BUILD_ID },
		{ "linked.so", "/usr/lib/debug/inlined.debug" },
	};
	char path[400], root[400];
	size_t i;

	(void)state;
	alarm(60);
	for (i = 0; i < ARRAY_SIZE(names); i++) {
		struct object object;

		make_root(names[i][0]);
		snprintf(path, sizeof(path), "%s/root%s", synthetic_directory(),
			 names[i][1]);
		assert_int_equal(mkfifo(path, 0666), 0);
		snprintf(root, sizeof(root), "%s/root", synthetic_directory());
		sysroot_set(root);
		snprintf(path, sizeof(path), "/%s", names[i][0]);
		object = fixture(path);
		assert_null(frames_line(&object, 0x1100).file);
		symbols_free(&object);
		remove_root();
	}
	alarm(0);
}

static void sources_are_looked_for_below_the_root(void **state)
{
	char text[20];
	FILE *source;

	(void)state;
	assert_null(sysroot_source("/below-the-root.c"));
	write_file(in_directory("below-the-root.c"), "found");
	sysroot_set(synthetic_directory());
	source = sysroot_source("/below-the-root.c");
	assert_non_null(source);
	assert_int_equal(fread(text, 1, sizeof(text), source), 5);
	fclose(source);
	sysroot_set("");
}

static void the_innermost_range_is_found(void **state)
{
	struct address_ranges ranges = { 0 };
	size_t i;

	(void)state;
	address_ranges_add(&ranges, 100, 200, 1);
	address_ranges_add(&ranges, 100, 1000, 2);
	address_ranges_add(&ranges, 500, 600, 3);
	address_ranges_add(&ranges, 550, 550, 4);
	address_ranges_sort(&ranges);
	static const struct { uint64_t address; int item; } cases[] = {
		{ 0, -1 }, { 99, -1 }, { 100, 1 }, { 199, 1 }, { 200, 2 },
		{ 550, 3 }, { 600, 2 }, { 999, 2 }, { 1000, -1 },
	};
	for (i = 0; i < ARRAY_SIZE(cases); i++)
		assert_int_equal(address_ranges_find(&ranges, cases[i].address),
				 cases[i].item);
	free(ranges.list);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_need_no_aranges),
		cmocka_unit_test(inlined_calls_are_frames),
		cmocka_unit_test(wrong_aranges_are_not_believed),
		cmocka_unit_test(split_units_have_lines_and_inlined_calls),
		cmocka_unit_test(calls_inlined_into_a_lambda_are_frames),
		cmocka_unit_test(calls_inlined_into_a_nested_function_are_frames),
		cmocka_unit_test(a_unit_is_read_once_however_much_is_asked),
		cmocka_unit_test(entries_of_the_linkage_table_have_names),
		cmocka_unit_test(the_kernels_code_in_the_process_has_names),
		cmocka_unit_test(of_two_pieces_at_one_address_it_is_the_newer),
		cmocka_unit_test(a_map_ends_where_it_is_no_text),
		cmocka_unit_test(a_map_of_somebody_else_is_not_read),
		cmocka_unit_test(a_map_that_is_a_link_is_not_read),
		cmocka_unit_test(a_fifo_holds_nothing_up),
		cmocka_unit_test(a_fifo_where_debug_information_is_looked_for),
		cmocka_unit_test(a_fifo_where_a_split_units_debug_information_is),
		cmocka_unit_test(a_fifo_where_common_debug_information_is),
		cmocka_unit_test(debug_information_is_found_below_a_relative_root),
		cmocka_unit_test(a_fifo_where_debug_information_below_the_root_is),
		cmocka_unit_test(sources_are_looked_for_below_the_root),
		cmocka_unit_test(the_innermost_range_is_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
