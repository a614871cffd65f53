// SPDX-License-Identifier: LGPL-2.1-or-later
/*
 * rows_test [-a] FILE...: every row of call frame information in these ELF files
 * that exist, followed by unwind.c and as elfutils has it.
 *
 * Registers and stack are made up: a word's address is its value, mixed. A row is right if
 * the caller's registers are the same, and lost where elfutils has none. Each row is followed
 * twice: the second time it may come from a rule that was kept. Without -a, only some of the
 * functions of files with many are looked at. TAP: one test for each file. What is given up
 * has its enum profil_unwind_end.
 */
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <linux/limits.h>

#include "unwind/unwind.h"

/* Functions of a file that are looked at without -a. */
#define SOME_FUNCTIONS	12000

/* Of 10,000 rows, so many may be given up. */
#define MAY_GIVE_UP	1

#define SP		0x10000000ULL
#define MAX_SEGMENTS	16
#define SETS		256

struct file {
	const char	*name;
	Elf		*elf;
	Dwarf_CFI	*cfi;
	Dwfl		*dwfl;
	u8		*bytes;
	GElf_Phdr	load[MAX_SEGMENTS];
	int		nloads;
	u64		hdr;
	struct profil_object object;
	struct profil_unwind_objects objects;
	struct profil_rules rules;
	unsigned long	rows, equal, wrong, kept, nothing, restorers, gave_up[PROFIL_ENDS];
};

static u64 mix(u64 z)
{
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	z ^= z >> 31;
	/* A stack goes up, and pcs are not 0. */
	return (profil_unwind_word)(z & 0xffffffffffff) | 1ULL << (PROFIL_WORD == 8 ? 44 : 30);
}

static const u8 *file_at(const struct file *file, u64 addr, size_t n)
{
	for (int i = 0; i < file->nloads; i++) {
		const GElf_Phdr *load = &file->load[i];

		if (addr >= load->p_vaddr && addr - load->p_vaddr < load->p_filesz &&
		    load->p_filesz - (addr - load->p_vaddr) >= n)
			return file->bytes + load->p_offset + addr - load->p_vaddr;
	}
	return NULL;
}

/* What is read ahead may be behind the end of the file. */
static int read_file(const struct file *file, u64 addr, u8 *to, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const u8 *byte = file_at(file, addr + i, 1);

		to[i] = byte ? *byte : 0;
	}
	return 0;
}

static int read_made_up(void *ctx, u64 addr, void *to, size_t n)
{
	const struct file *file = ctx;

	if (addr < file->object.end)
		return read_file(file, addr, to, n);
	for (size_t i = 0; i < n; i += PROFIL_WORD) {
		u64 word = mix(addr + i);

		memcpy((u8 *)to + i, &word, n - i < PROFIL_WORD ? n - i : PROFIL_WORD);
	}
	return 0;
}

/* Columns of DWARF. */
#define COLUMNS		(PROFIL_HAS_LINK ? 32 : PROFIL_WORD == 4 ? 9 : PROFIL_COLUMNS)

static int dwarf_number(u64 reg)
{
	int i;

	for (i = 0; i < COLUMNS && profil_machine_reg(i) != reg; i++)
		;
	return i;
}

static u64 callee_register(u64 pc, u64 reg)
{
	if (reg == PROFIL_REG_PC)
		return pc;

	return reg == PROFIL_REG_SP ? SP : SP + (mix(reg + pc) & 0xffffff8);
}

/*
 * elfutils' side: a process of one thread, whose stack has a first frame at this pc,
 * and what it finds of the second.
 */
static struct {
	struct file	*file;
	u64		pc;
	int		frames;
	bool		known[PROFIL_REGS];
	Dwarf_Word	reg[PROFIL_REGS];
} caller;

static pid_t next_thread(Dwfl *dwfl, void *unused, void **thread)
{
	pid_t tid = *thread ? 0 : 1;

	(void)dwfl;
	(void)unused;
	*thread = &caller;
	return tid;
}

static bool read_word(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *word, void *unused)
{
	profil_unwind_word made_up;

	(void)dwfl;
	(void)unused;
	read_made_up(caller.file, addr, &made_up, sizeof(made_up));
	*word = made_up;
	return true;
}

static bool set_registers(Dwfl_Thread *thread, void *unused)
{
	Dwarf_Word reg[COLUMNS];

	(void)unused;
	for (int i = 0; i < COLUMNS; i++)
		reg[i] = callee_register(caller.pc, profil_machine_reg(i));
	if (PROFIL_COLUMN_RA != PROFIL_REG_PC)
		dwfl_thread_state_register_pc(thread, caller.pc);
	return dwfl_thread_state_registers(thread, 0, COLUMNS, reg);
}

static int look_at_frame(Dwfl_Frame *frame, void *unused)
{
	(void)unused;
	if (!caller.frames++)
		return DWARF_CB_OK;
	for (int i = 0; i < PROFIL_COLUMNS; i++)
		caller.known[i] = !dwfl_frame_reg(frame, dwarf_number(i), &caller.reg[i]);
	if (PROFIL_COLUMN_RA != PROFIL_REG_PC)
		caller.known[PROFIL_REG_PC] = dwfl_frame_pc(frame, &caller.reg[PROFIL_REG_PC], NULL);
	return DWARF_CB_ABORT;
}

static int look_at_thread(Dwfl_Thread *thread, void *unused)
{
	dwfl_thread_getframes(thread, look_at_frame, unused);
	return DWARF_CB_OK;
}

static void find_caller(struct file *file, u64 pc)
{
	memset(&caller, 0, sizeof(caller));
	caller.file = file;
	caller.pc = pc;
	dwfl_getthreads(file->dwfl, look_at_thread, NULL);
}

static bool make_process(struct file *file)
{
	static const Dwfl_Callbacks callbacks = { .find_debuginfo = dwfl_standard_find_debuginfo };
	static const Dwfl_Thread_Callbacks of_thread = {
		.next_thread = next_thread, .memory_read = read_word,
		.set_initial_registers = set_registers,
	};

	file->dwfl = dwfl_begin(&callbacks);
	dwfl_report_begin(file->dwfl);
	return dwfl_report_elf(file->dwfl, file->name, file->name, -1, 0, true) &&
	       !dwfl_report_end(file->dwfl, NULL, NULL) &&
	       dwfl_attach_state(file->dwfl, NULL, 1, &of_thread, NULL);
}

/* Whether there is a rule; else it is undefined, or as the callee has it. */
static bool has_rule(Dwarf_Frame *frame, int reg, bool *undefined)
{
	Dwarf_Op mem[3], *ops;
	size_t n;
	bool found = !dwarf_frame_register(frame, dwarf_number(reg), mem, &ops, &n);

	*undefined = found && !n && ops;
	return found && n;
}

static void begin(struct file *file, struct profil_unwind *walk, u64 pc)
{
	memset(walk, 0xa5, sizeof(*walk));
	walk->objects = &file->objects;
	walk->rules = &file->rules;
	walk->read = read_made_up;
	walk->narrow = NULL;
	walk->trail = NULL;
	walk->sharing = NULL;
	walk->ctx = file;
	walk->pc_mask = (1ULL << 48) - 1;
	for (int i = 0; i < PROFIL_REGS; i++)
		walk->regs.reg[i] = callee_register(pc, i);
	walk->regs.known = (1ULL << PROFIL_REGS) - 1;
	profil_unwind_begin(walk);
}

static void tell(struct file *file, u64 pc, const char *what, int reg, u64 got, u64 want)
{
	if (file->wrong++ < 10)
		printf("# %s: %#llx: %s %d is %#llx, not %#llx\n", file->name, pc, what, reg, got, want);
}

static bool is_kept(const struct file *file, u64 pc)
{
	for (u32 i = 0; i < (file->rules.mask + 1) * PROFIL_RULE_WAYS; i++)
		if (pc - file->rules.rule[i].start < file->rules.rule[i].bytes)
			return true;
	return false;
}

/* Are the caller's registers what elfutils says? */
static bool same_registers(struct file *file, const struct profil_unwind *walk,
			   Dwarf_Frame *frame, u64 pc)
{
	for (int reg = 0; reg < PROFIL_REGS; reg++) {
		bool undefined = false, known = walk->regs.known >> reg & 1;
		/* What elfutils takes for preserved by calls is true on i386 alone. */
		bool rule = reg == PROFIL_REG_PC || has_rule(frame, reg, &undefined);
		bool want = rule ? caller.known[reg] : !(undefined && PROFIL_WORD == 4) &&
					       PROFIL_REGS_SAVED >> reg & 1;
		u64 value = rule ? caller.reg[reg] : callee_register(pc, reg);

		/* The call has changed it. */
		if (reg == PROFIL_COLUMN_RA && reg != PROFIL_REG_PC)
			want = false;
		if (known != want) {
			tell(file, pc, "known", reg, known, want);
			return false;
		}
		if (known && walk->regs.reg[reg] != value) {
			tell(file, pc, "register", reg, walk->regs.reg[reg], value);
			return false;
		}
	}
	return true;
}

static void compare(struct file *file, Dwarf_Frame *frame, u64 pc)
{
	struct profil_unwind walk;
	bool outermost;

	file->rows++;
	find_caller(file, pc);
	has_rule(frame, PROFIL_COLUMN_RA, &outermost);
	for (int again = 0; again < 2; again++) {
		begin(file, &walk, pc);
		profil_unwind_next(&walk);
		if (walk.end == PROFIL_END_OUTERMOST && outermost)
			continue;
		/* A stack that grew up: strchrnul() of i386's glibc 2.36. */
		if (walk.end == PROFIL_END_BACKWARDS && caller.reg[PROFIL_REG_SP] <= SP)
			continue;
		if (walk.end) {
			file->gave_up[walk.end]++;
			if (file->gave_up[walk.end] < 20)
				printf("# %s: %#llx: given up: end %d\n", file->name, pc, walk.end);
			return;
		}
		if (!same_registers(file, &walk, frame, pc))
			return;
	}
	file->kept += is_kept(file, pc);
	file->equal++;
}

static void compare_nothing(struct file *file, u64 pc)
{
	struct profil_unwind walk;

	begin(file, &walk, pc);
	file->nothing++;
	/* A random word could look like a call. */
	walk.regs.known &= ~BIT(PROFIL_REG_FP);
	profil_unwind_next(&walk);
	/* libc has one restorer of signals, which is known by its instructions. */
	if (walk.end == PROFIL_END_NONE && walk.guessed && !file->restorers++)
		return;
	/* The information before it may be of an unknown kind: arm64's rawmemchr(). */
	if (walk.end != PROFIL_END_NO_ROW && walk.end != PROFIL_END_UNKNOWN)
		tell(file, pc, "end", 0, walk.end, PROFIL_END_NO_ROW);
}

/* All rows of an FDE; @end is where the next one starts. */
static void compare_rows(struct file *file, u64 pc, u64 end)
{
	while (pc < end) {
		Dwarf_Addr start, next;
		Dwarf_Frame *frame;
		bool is_signal;

		if (dwarf_cfi_addrframe(file->cfi, pc, &frame)) {
			compare_nothing(file, pc);
			return;
		}
		dwarf_frame_info(frame, &start, &next, &is_signal);
		compare(file, frame, pc);
		if (next - 1 > pc)
			compare(file, frame, next - 1);
		free(frame);
		pc = next;
	}
}

static void compare_file(struct file *file, bool all)
{
	u32 i, n, step = 1;
	s32 entry[2];

	memcpy(&n, file_at(file, file->hdr + 8, 4), 4);
	if (!all && n > SOME_FUNCTIONS)
		step = n / SOME_FUNCTIONS + 1;
	for (i = 0; i < n; i += step) {
		u64 end = file->object.end;

		memcpy(entry, file_at(file, file->hdr + 12 + 8 * i, 8), 8);
		if (i + 1 < n)
			end = file->hdr + *(s32 *)file_at(file, file->hdr + 20 + 8 * i, 4);
		compare_rows(file, file->hdr + entry[0], end);
	}
}

static bool look_at(struct file *file)
{
	GElf_Phdr header;
	size_t n;

	if (elf_getphdrnum(file->elf, &n))
		return false;
	file->object.start = U64_MAX;
	for (size_t i = 0; i < n; i++) {
		gelf_getphdr(file->elf, i, &header);
		if (header.p_type == PT_GNU_EH_FRAME)
			file->hdr = header.p_vaddr;
		if (header.p_type != PT_LOAD || file->nloads == MAX_SEGMENTS)
			continue;
		file->load[file->nloads++] = header;
		if (header.p_vaddr < file->object.start)
			file->object.start = header.p_vaddr;
		file->object.end = header.p_vaddr + header.p_memsz;
	}
	file->object.eh_frame_hdr = file->hdr;
	file->objects = (struct profil_unwind_objects) {
		.object = &file->object, .n = 1, .generation = 1,
	};
	file->cfi = dwarf_getcfi_elf(file->elf);
	return file->hdr && file->cfi && make_process(file);
}

static bool report(const struct file *file, int number)
{
	unsigned long given_up = 0;
	bool ok;

	for (int i = 0; i < PROFIL_ENDS; i++)
		given_up += file->gave_up[i];
	ok = file->rows && !file->wrong && given_up <= file->rows / 10000 * MAY_GIVE_UP + 3;
	printf("# %s: %lu rows, %lu equal, %lu kept as a rule, %lu given up, %lu wrong, %lu without\n",
	       file->name, file->rows, file->equal, file->kept, given_up,
	       file->wrong, file->nothing);
	printf("%s %d - rows are those of elfutils: %s\n",
	       ok ? "ok" : "not ok", number, file->name);
	return ok;
}

static bool check(const char *path, int number, bool all)
{
	struct file file = { .name = path };
	int fd = open(path, O_RDONLY);
	size_t size;
	bool ok;

	if (fd < 0) {
		printf("ok %d - the rows of %s # SKIP not installed\n", number, path);
		return true;
	}
	file.elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	file.bytes = (u8 *)elf_rawfile(file.elf, &size);
	if (!file.bytes || !look_at(&file)) {
		printf("not ok %d - %s has call frame information\n", number, path);
		return false;
	}
	file.rules.rule = calloc(1, profil_rules_bytes(SETS));
	file.rules.mask = SETS - 1;
	compare_file(&file, all);
	ok = report(&file, number);
	free(file.rules.rule);
	dwarf_cfi_end(file.cfi);
	dwfl_end(file.dwfl);
	elf_end(file.elf);
	close(fd);
	fflush(stdout);
	return ok;
}

int main(int argc, char **argv)
{
	bool all = argc > 1 && !strcmp(argv[1], "-a");
	int first = all ? 2 : 1, i;
	bool ok = true;

	elf_version(EV_CURRENT);
	printf("1..%d\n", argc - first);
	for (i = first; i < argc; i++)
		ok &= check(argv[i], i - first + 1, all);
	return !ok;
}
