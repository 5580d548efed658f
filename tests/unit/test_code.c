/*
 * test_code.c: where instructions begin, compared with objdump over whole libraries, and what the
 * kernel does with a breakpoint at each kind, as was measured.
 */
#include "usdt/code/code.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "unit_main.h"

static size_t bytes_of(const char *text, uint8_t *bytes)
{
	size_t count = 0;
	unsigned byte;
	int used;

	while (sscanf(text, " %2x%n", &byte, &used) == 1) {
		bytes[count++] = (uint8_t)byte;
		text += used;
	}
	return count;
}

static struct code_instruction decode(uint16_t machine, const char *text)
{
	struct code_instruction instruction;
	uint8_t bytes[64];
	size_t count = bytes_of(text, bytes);

	code_decode(machine, bytes, count, &instruction);
	/* a part of an instruction is none */
	for (size_t i = 0; i < instruction.length; i++) {
		struct code_instruction part;

		code_decode(machine, bytes, i, &part);
		ck_assert_uint_eq(part.length, 0);
		ck_assert_int_eq(part.kind, CODE_UNKNOWN);
	}
	return instruction;
}

static const struct {
	const char *bytes;
	unsigned length;
	enum code_kind kind;
	enum code_flow flow;
	int64_t target;
} x86_cases[] = {
	{"90", 1, CODE_NOP, CODE_NEXT, 0},
	{"66 90", 2, CODE_NOP, CODE_NEXT, 0},
	{"f3 90", 2, CODE_NOP, CODE_NEXT, 0},
	{"0f 1f 00", 3, CODE_NOP, CODE_NEXT, 0},
	{"0f 1f 44 00 00", 5, CODE_REFUSED, CODE_NEXT, 0},
	{"66 0f 1f 44 00 00", 6, CODE_NOP, CODE_NEXT, 0},
	{"0f 1f 80 00 00 00 00", 7, CODE_NOP, CODE_NEXT, 0},
	{"66 0f 1f 84 00 00 00 00 00", 9, CODE_STEPPED, CODE_NEXT, 0},
	{"66 2e 0f 1f 84 00 00 00 00 00", 10, CODE_REFUSED, CODE_NEXT, 0},
	{"41 90", 2, CODE_REFUSED, CODE_NEXT, 0}, /* xchg %r8d,%eax */
	{"49 90", 2, CODE_REFUSED, CODE_NEXT, 0},
	{"48 90", 2, CODE_NOP, CODE_NEXT, 0},
	{"55", 1, CODE_EMULATED, CODE_NEXT, 0},
	{"41 57", 2, CODE_EMULATED, CODE_NEXT, 0},
	{"48 50", 2, CODE_STEPPED, CODE_NEXT, 0},
	{"66 50", 2, CODE_STEPPED, CODE_NEXT, 0},
	{"6a 00", 2, CODE_STEPPED, CODE_NEXT, 0},
	{"ff 34 24", 3, CODE_STEPPED, CODE_NEXT, 0},
	{"9c", 1, CODE_REFUSED, CODE_NEXT, 0}, /* pushf */
	{"9d", 1, CODE_STEPPED, CODE_NEXT, 0},
	{"5d", 1, CODE_STEPPED, CODE_NEXT, 0},
	{"f3 0f 1e fa", 4, CODE_STEPPED, CODE_NEXT, 0}, /* endbr64 */
	{"48 89 e5", 3, CODE_STEPPED, CODE_NEXT, 0},
	{"48 83 ec 08", 4, CODE_STEPPED, CODE_NEXT, 0},
	{"64 48 8b 04 25 28 00 00 00", 9, CODE_STEPPED, CODE_NEXT, 0},
	{"48 b8 01 02 03 04 05 06 07 08", 10, CODE_STEPPED, CODE_NEXT, 0},
	{"66 b8 01 02", 4, CODE_STEPPED, CODE_NEXT, 0},
	{"67 48 a1 01 02 03 04", 7, CODE_STEPPED, CODE_NEXT, 0},
	{"48 a1 01 02 03 04 05 06 07 08", 10, CODE_STEPPED, CODE_NEXT, 0},
	{"f6 05 01 02 03 04 05", 7, CODE_STEPPED, CODE_NEXT, 0}, /* testb $, (%rip) */
	{"f6 d8", 2, CODE_STEPPED, CODE_NEXT, 0},
	{"f7 c0 01 02 03 04", 6, CODE_STEPPED, CODE_NEXT, 0},
	{"66 f7 c0 01 02", 5, CODE_STEPPED, CODE_NEXT, 0},
	{"48 66 b8 01 02", 5, CODE_STEPPED, CODE_NEXT, 0}, /* the REX prefix is lost */
	{"c8 01 02 03", 4, CODE_STEPPED, CODE_NEXT, 0},
	{"8b 04 25 01 02 03 04", 7, CODE_STEPPED, CODE_NEXT, 0},
	{"8b 44 24 08", 4, CODE_STEPPED, CODE_NEXT, 0},
	{"8b 84 24 01 02 03 04", 7, CODE_STEPPED, CODE_NEXT, 0},
	{"0f a4 c0 05", 4, CODE_STEPPED, CODE_NEXT, 0},
	{"0f 20 04", 3, CODE_STEPPED, CODE_NEXT, 0}, /* from a control register */
	{"66 0f 3a 0f c1 08", 6, CODE_STEPPED, CODE_NEXT, 0},
	{"66 0f 38 00 c1", 5, CODE_STEPPED, CODE_NEXT, 0},
	{"f0 0f b1 0f", 4, CODE_REFUSED, CODE_NEXT, 0},
	{"87 07", 2, CODE_STEPPED, CODE_NEXT, 0},
	{"8e d0", 2, CODE_REFUSED, CODE_NEXT, 0},
	{"0f 05", 2, CODE_REFUSED, CODE_NEXT, 0},
	{"cd 80", 2, CODE_REFUSED, CODE_NEXT, 0},
	{"ec", 1, CODE_REFUSED, CODE_NEXT, 0},
	{"cc", 1, CODE_REFUSED, CODE_STOP, 0},
	{"f4", 1, CODE_REFUSED, CODE_STOP, 0},
	{"0f 0b", 2, CODE_STEPPED, CODE_STOP, 0},
	{"c3", 1, CODE_STEPPED, CODE_RETURN, 0},
	{"f3 c3", 2, CODE_STEPPED, CODE_RETURN, 0},
	{"c2 08 00", 3, CODE_STEPPED, CODE_RETURN, 0},
	{"e8 00 00 00 00", 5, CODE_EMULATED, CODE_NEXT, 0},
	{"66 66 48 e8 00 00 00 00", 8, CODE_REFUSED, CODE_NEXT, 0},
	{"ff 15 00 00 00 00", 6, CODE_STEPPED, CODE_NEXT, 0},
	{"ff d0", 2, CODE_STEPPED, CODE_NEXT, 0},
	{"ff e0", 2, CODE_STEPPED, CODE_INDIRECT, 0},
	{"3e ff e0", 3, CODE_REFUSED, CODE_TABLE, 0},
	{"ff 24 c5 00 00 00 00", 7, CODE_STEPPED, CODE_INDIRECT, 0},
	{"eb fe", 2, CODE_EMULATED, CODE_JUMP, 0},
	{"e9 00 01 00 00", 5, CODE_EMULATED, CODE_JUMP, 0x105},
	{"74 10", 2, CODE_EMULATED, CODE_BRANCH, 0x12},
	{"0f 84 fa ff ff ff", 6, CODE_EMULATED, CODE_BRANCH, 0},
	{"e3 10", 2, CODE_STEPPED, CODE_BRANCH, 0x12},
	{"c7 f8 00 00 00 00", 6, CODE_STEPPED, CODE_BRANCH, 6}, /* xbegin */
	{"c5 f8 77", 3, CODE_REFUSED, CODE_NEXT, 0},            /* vzeroupper: looks like a jump */
	{"c5 fe 6f 07", 4, CODE_REFUSED, CODE_NEXT, 0},         /* vmovdqu: looks like outsl */
	{"c5 f8 58 c1", 4, CODE_STEPPED, CODE_NEXT, 0},
	{"c5 fd 74 0f", 4, CODE_REFUSED, CODE_NEXT, 0},             /* vpcmpeqb: a jump */
	{"c5 ed eb c1", 4, CODE_REFUSED, CODE_NEXT, 0},             /* vpor: a jump */
	{"c5 f9 e8 c1", 4, CODE_REFUSED, CODE_NEXT, 0},             /* vpsubsb: a call */
	{"c5 f8 c2 c1 01", 5, CODE_REFUSED, CODE_NEXT, 0},          /* vcmpps: a return */
	{"c4 e2 e9 9d c1", 5, CODE_REFUSED, CODE_NEXT, 0},          /* vfnmadd132sd: popf */
	{"c4 e2 65 90 04 a7", 6, CODE_REFUSED, CODE_NEXT, 0},       /* vpgatherdd: a nop */
	{"62 e2 7d 28 7a ce", 6, CODE_REFUSED, CODE_NEXT, 0},       /* vpbroadcastb: a jump */
	{"f3 0f 41 05 00 01 00 00", 8, CODE_REFUSED, CODE_NEXT, 0}, /* cmovno, at %rip */
	{"f2 0f 2b 05 00 01 00 00", 8, CODE_REFUSED, CODE_NEXT, 0}, /* movntsd */
	{"f3 0f 41 40 01", 5, CODE_STEPPED, CODE_NEXT, 0},
	{"0f 41 05 00 01 00 00", 7, CODE_STEPPED, CODE_NEXT, 0},
	{"f3 0f 58 05 00 01 00 00", 8, CODE_STEPPED, CODE_NEXT, 0}, /* addss */
	{"0f c2 c1 01", 4, CODE_STEPPED, CODE_NEXT, 0},             /* cmpps */
	{"c5 fd c6 c0 01", 5, CODE_STEPPED, CODE_NEXT, 0},
	{"c4 e3 fd 00 c0 01", 6, CODE_STEPPED, CODE_NEXT, 0},
	{"c4 e2 7d 18 05 01 02 03 04", 9, CODE_STEPPED, CODE_NEXT, 0},
	{"c4 e3 f9 6b c2 10", 6, CODE_REFUSED, CODE_NEXT, 0}, /* vfmaddsd of FMA4 */
	{"c4 e3 f9 7a c2 10", 6, CODE_REFUSED, CODE_NEXT, 0},
	{"c4 e3 f9 5c c2 10", 6, CODE_REFUSED, CODE_NEXT, 0},
	{"62 f1 7c 48 10 47 01", 7, CODE_STEPPED, CODE_NEXT, 0},
	{"62 f3 7d 48 25 c0 00", 7, CODE_STEPPED, CODE_NEXT, 0}, /* vpternlogd */
	{"62 f1 fe 48 6f 07", 6, CODE_REFUSED, CODE_NEXT, 0},
	{"8f e8 78 a2 c0 00", 6, CODE_STEPPED, CODE_NEXT, 0}, /* XOP */
	{"8f c0", 2, CODE_STEPPED, CODE_NEXT, 0},
	{"06", 0, CODE_UNKNOWN, CODE_NEXT, 0},
	{"ea 00 00 00 00 00 00", 0, CODE_UNKNOWN, CODE_NEXT, 0},
	{"ff ff", 0, CODE_UNKNOWN, CODE_NEXT, 0},
	{"62 f1 78 48 10 c0", 0, CODE_UNKNOWN, CODE_NEXT, 0},
	{"66 66 66 66 66 66 66 66 66 66 66 66 66 66 66 90", 0, CODE_UNKNOWN, CODE_NEXT, 0},
	{"", 0, CODE_UNKNOWN, CODE_NEXT, 0},
};

START_TEST(test_x86)
{
	for (size_t i = 0; i < sizeof(x86_cases) / sizeof(x86_cases[0]); i++) {
		struct code_instruction got = decode(EM_X86_64, x86_cases[i].bytes);

		ck_assert_msg(got.length == x86_cases[i].length && got.kind == x86_cases[i].kind &&
				got.flow == x86_cases[i].flow && got.target == x86_cases[i].target,
			"%s: length %d kind %d flow %d target %lld", x86_cases[i].bytes, got.length,
			got.kind, got.flow, (long long)got.target);
		ck_assert((got.kind == CODE_REFUSED) == (got.reason != NULL));
	}
}
END_TEST

#ifdef __x86_64__
/* Sets a breakpoint as the kernel's own tools do; 0 or an errno. */
static int set_breakpoint(int type, const char *path, uint64_t offset)
{
	struct perf_event_attr attributes = {.size = sizeof(attributes),
		.type = (unsigned)type,
		.config1 = (uintptr_t)path,
		.config2 = offset};

	/* closing takes long, so all are closed at once when the test ends */
	return syscall(SYS_perf_event_open, &attributes, getpid(), -1, -1, PERF_FLAG_FD_CLOEXEC) < 0
		? errno
		: 0;
}

/* The kernel takes a breakpoint wherever this says so, and none at what it cannot execute. */
START_TEST(test_kernel)
{
	enum { SLOT = 32, ENOTSUPP = 524 };
	size_t count = sizeof(x86_cases) / sizeof(x86_cases[0]), size = count * SLOT;
	FILE *file = fopen("/sys/bus/event_source/devices/uprobe/type", "r");
	const char *parent = getenv("TMPDIR");
	char path[128];
	uint8_t *bytes;
	int type, code;

	if (!file) {
		printf("left out: the kernel's answer: it has no uprobes\n");
		return;
	}
	ck_assert_int_eq(fscanf(file, "%d", &type), 1);
	fclose(file);
	bytes = malloc(size);
	memset(bytes, 0x90, size);
	for (size_t i = 0; i < count; i++)
		bytes_of(x86_cases[i].bytes, bytes + i * SLOT);
	snprintf(path, sizeof(path), "%.60s/code-XXXXXX", parent ? parent : "/tmp");
	code = mkstemp(path);
	ck_assert_int_eq(write(code, bytes, size), (ssize_t)size);
	free(bytes);
	/* the kernel looks at the instruction only if the file is mapped */
	ck_assert_ptr_ne(mmap(NULL, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, code, 0), MAP_FAILED);
	for (size_t i = 0; i < count; i++) {
		int error = x86_cases[i].length ? set_breakpoint(type, path, i * SLOT) : 0;

		if (error == EACCES || error == EPERM) {
			printf("the kernel is not asked: %s\n", strerror(error));
			break;
		}
		ck_assert_msg(error == 0 ||
				((error == ENOTSUPP || error == ENOEXEC) &&
					x86_cases[i].kind == CODE_REFUSED),
			"%s: %d", x86_cases[i].bytes, error);
	}
	unlink(path);
}
END_TEST
#endif

START_TEST(test_arm)
{
	static const struct {
		const char *bytes;
		enum code_kind kind;
		enum code_flow flow;
		int64_t target;
	} cases[] = {
		{"1f 20 03 d5", CODE_NOP, CODE_NEXT, 0},
		{"fd 7b bf a9", CODE_STEPPED, CODE_NEXT, 0},   /* stp x29, x30, [sp, -16]! */
		{"3f 23 03 d5", CODE_STEPPED, CODE_NEXT, 0},   /* paciasp */
		{"00 00 00 94", CODE_EMULATED, CODE_NEXT, 0},  /* bl */
		{"02 00 00 14", CODE_EMULATED, CODE_JUMP, 8},  /* b +8 */
		{"ff ff ff 17", CODE_EMULATED, CODE_JUMP, -4}, /* b -4 */
		{"40 00 00 54", CODE_EMULATED, CODE_BRANCH, 8},
		{"e0 ff ff b4", CODE_EMULATED, CODE_BRANCH, -4}, /* cbz */
		{"40 00 00 36", CODE_EMULATED, CODE_BRANCH, 8},  /* tbz */
		{"c0 03 5f d6", CODE_EMULATED, CODE_RETURN, 0},
		{"00 02 1f d6", CODE_EMULATED, CODE_INDIRECT, 0}, /* br x16 */
		{"00 02 3f d6", CODE_EMULATED, CODE_NEXT, 0},     /* blr x16 */
		{"00 00 00 90", CODE_EMULATED, CODE_NEXT, 0},     /* adrp */
		{"01 00 00 d4", CODE_REFUSED, CODE_NEXT, 0},      /* svc */
		{"00 00 20 d4", CODE_REFUSED, CODE_STOP, 0},      /* brk */
		{"00 7c 5f 88", CODE_REFUSED, CODE_NEXT, 0},      /* ldxr */
		{"40 d0 3b d5", CODE_REFUSED, CODE_NEXT, 0},      /* mrs x0, tpidr_el0 */
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct code_instruction got = decode(EM_AARCH64, cases[i].bytes);

		ck_assert_msg(got.length == 4 && got.kind == cases[i].kind &&
				got.flow == cases[i].flow && got.target == cases[i].target,
			"%s: kind %d flow %d target %lld", cases[i].bytes, got.kind, got.flow,
			(long long)got.target);
	}
	ck_assert_int_eq(decode(EM_AARCH64, "00 00 00 00").kind, CODE_UNKNOWN);
	ck_assert_int_eq(decode(EM_PPC64, "90 90 90 90").kind, CODE_UNKNOWN);
	ck_assert(code_is_known(EM_X86_64) && code_is_known(EM_AARCH64) && !code_is_known(EM_386));
}
END_TEST

static void make_map(const char *text, uint8_t *bytes, struct code_starts *map)
{
	ck_assert_int_eq(code_starts_make(EM_X86_64, bytes, bytes_of(text, bytes), map), 0);
}

START_TEST(test_map)
{
	uint8_t bytes[64];
	struct code_starts map;
	uint64_t before;

	make_map("55 48 89 e5 c3", bytes, &map);
	ck_assert_uint_eq(map.size, 5);
	ck_assert(map.conflict == SIZE_MAX);
	ck_assert(code_starts_at(&map, 0, &before) && before == 0);
	ck_assert(code_starts_at(&map, 1, &before) && before == 1);
	ck_assert(!code_starts_at(&map, 3, &before) && before == 1);
	ck_assert(code_starts_at(&map, 4, &before) && before == 4);
	ck_assert(!code_starts_at(&map, 5, &before) && before == 4);
	ck_assert(!code_starts_at(&map, UINT64_MAX, &before) && before == 4);
	code_starts_free(&map);
	/* an instruction cut off by the end of the function */
	make_map("90 48 89", bytes, &map);
	ck_assert_uint_eq(map.size, 1);
	code_starts_free(&map);
	/* a jump into the middle of an instruction */
	make_map("eb 02 b8 90 90 90 90 c3", bytes, &map);
	ck_assert_uint_eq(map.conflict, 4);
	code_starts_free(&map);
	/* a jump over a lock prefix is usual */
	make_map("74 01 f0 0f b1 0f c3", bytes, &map);
	ck_assert(map.conflict == SIZE_MAX);
	code_starts_free(&map);
	make_map("", bytes, &map);
	ck_assert(!code_starts_at(&map, 0, &before));
	code_starts_free(&map);
}
END_TEST

static bool is_same(void *context, int64_t offset)
{
	return context && offset >= 0x100 && offset < 0x200;
}

static bool is_function(void *context, int64_t offset)
{
	return context && offset >= 0x1000;
}

START_TEST(test_returns)
{
	static const struct {
		const char *bytes;
		const char *reason; /* NULL: returns */
		size_t count;
		uint32_t offsets[2];
	} cases[] = {
		{"74 01 c3 5d c3", NULL, 2, {2, 4}},
		{"74 01 c3 e9 00 10 00 00", NULL, 2, {2, 3}}, /* a tail call */
		{"e9 fb 00 00 00", NULL, 0, {0}},             /* into the other part */
		{"0f 84 fa 00 00 00 c3", NULL, 1, {6}},       /* the same */
		{"eb fe", NULL, 0, {0}},                      /* never */
		{"3e ff e0 c3", NULL, 1, {3}},                /* through a marked table */
		{"0f 84 00 10 00 00 c3", "conditional", 0, {0}},
		{"e9 00 08 00 00", "no symbol", 0, {0}},
		{"ff e0", "indirect", 0, {0}},
		{"eb 02 b8 90 90 90 90 c3", "data", 0, {0}},
	};
	const struct code_surroundings surroundings = {is_same, is_function, (void *)cases};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *reason;
		uint8_t bytes[64];
		struct code_starts map;
		uint32_t *offsets;
		size_t count;

		make_map(cases[i].bytes, bytes, &map);
		reason = code_starts_returns(
			&map, EM_X86_64, bytes, &surroundings, &offsets, &count);
		ck_assert_msg(
			!reason == !cases[i].reason && (!reason || strstr(reason, cases[i].reason)),
			"%s: %s", cases[i].bytes, reason ? reason : "returns");
		ck_assert_uint_eq(count, cases[i].count);
		for (size_t j = 0; j < count; j++)
			ck_assert_uint_eq(offsets[j], cases[i].offsets[j]);
		free(offsets);
		code_starts_free(&map);
	}
}
END_TEST

/* What objdump finds in a function: from one symbol to the next. */
struct block {
	uint64_t begin;
	size_t count, capacity;
	uint64_t *addresses;
	bool is_damaged; /* objdump itself cannot decode it */
};

static size_t checked, blocks;

static void check_block(struct block *block, uint64_t end, const uint8_t *bytes, const char *file)
{
	struct code_starts map;
	size_t index = 0;

	if (block->count && !block->is_damaged) {
		ck_assert_int_eq(code_starts_make(EM_X86_64, bytes, end - block->begin, &map), 0);
		for (uint64_t offset = 0; offset < end - block->begin; offset++) {
			bool expected = index < block->count &&
				block->addresses[index] == block->begin + offset;
			uint64_t before;

			index += expected;
			if (code_starts_at(&map, offset, &before) != expected)
				ck_abort_msg("%s: %#llx is %s by objdump", file,
					(unsigned long long)(block->begin + offset),
					expected ? "an instruction" : "none");
			checked++;
		}
		ck_assert_uint_eq(map.size, end - block->begin);
		code_starts_free(&map);
		blocks++;
	}
	block->count = 0;
	block->is_damaged = false;
}

/* Compares each function of .text. objdump also starts anew at each symbol. */
static void check_file(const char *path)
{
	char command[512], *line = NULL;
	int file = open(path, O_RDONLY | O_CLOEXEC);
	struct block block = {0};
	uint64_t begin = 0, offset = 0, size = 0;
	size_t length = 0, strings;
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	uint8_t *bytes;
	FILE *objdump;
	Elf *elf;

	ck_assert_int_ge(file, 0);
	elf_version(EV_CURRENT);
	elf = elf_begin(file, ELF_C_READ, NULL);
	ck_assert_int_eq(elf_getshdrstrndx(elf, &strings), 0);
	while ((section = elf_nextscn(elf, section))) {
		ck_assert_ptr_nonnull(gelf_getshdr(section, &header));
		if (!strcmp(elf_strptr(elf, strings, header.sh_name), ".text")) {
			begin = header.sh_addr;
			offset = header.sh_offset;
			size = header.sh_size;
		}
	}
	elf_end(elf);
	bytes = malloc(size);
	ck_assert_int_eq(pread(file, bytes, size, (off_t)offset), (ssize_t)size);
	snprintf(command, sizeof(command), "objdump -d -w --no-show-raw-insn -j .text %s", path);
	objdump = popen(command, "r");
	checked = blocks = 0;
	while (getline(&line, &length, objdump) > 0) {
		unsigned long long address;
		char rest;

		if (sscanf(line, "%llx <%c", &address, &rest) == 2 && line[0] != ' ') {
			check_block(&block, address, bytes + (block.begin - begin), path);
			block.begin = address;
			continue;
		}
		if (sscanf(line, " %llx:%c", &address, &rest) != 2)
			continue;
		if (strstr(line, "(bad)"))
			block.is_damaged = true;
		if (block.count + 2 > block.capacity) {
			block.capacity = block.capacity * 2 + 64;
			block.addresses =
				realloc(block.addresses, block.capacity * sizeof(*block.addresses));
		}
		block.addresses[block.count++] = address;
		/* objdump joins a wait with the instruction after it */
		if (bytes[address - begin] == 0x9b && strstr(line, "\tf") && !strstr(line, "fwait"))
			block.addresses[block.count++] = address + 1;
	}
	check_block(&block, begin + size, bytes + (block.begin - begin), path);
	ck_assert_int_eq(pclose(objdump), 0);
	ck_assert_uint_gt(checked, size / 2);
	ck_assert_uint_gt(blocks, 10);
	free(block.addresses);
	free(bytes);
	free(line);
	close(file);
}

START_TEST(test_objdump)
{
	static const char *const files[] = {
		"/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libm.so.6"};
	static const char *const libraries[] = {"libc", "libm"};

	if (access(files[_i], R_OK) || system("objdump --version >/dev/null 2>&1"))
		printf("left out: objdump of %s: not there\n", libraries[_i]);
	else
		check_file(files[_i]);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_test(tests, test_x86);
#ifdef __x86_64__
	tcase_add_test(tests, test_kernel);
#endif
	tcase_add_test(tests, test_arm);
	tcase_add_test(tests, test_map);
	tcase_add_test(tests, test_returns);
	tcase_add_loop_test(tests, test_objdump, 0, 2);
}
