/*
 * load_plans.c: makes operands and demands at random, plans their capture, and loads each program
 * into the kernel, which must accept it. Nothing is attached.
 *
 *     load_plans SEED COUNT
 *
 * Prints how many were loaded; a refusal ends it with the seed, the operands and what the kernel
 * says. Status 77: the kernel allows no program.
 */
#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../fuzz/random.h"
#include "base/error.h"
#include "kernel/bpf/bpf.h"
#include "kernel/bpf/bpf_features.h"
#include "kernel/capture/capture.h"
#include "kernel/capture/plan.h"
#include "kernel/site/site_operand.h"
#include "program/need.h"

enum { WANTS_MAX = 3, SITES_MANY = 100000, RING_BYTES = 1 << 16, SAMPLE_BYTES = 32 << 10 };

static struct random source;

static unsigned below(unsigned limit)
{
	return random_below(&source, limit);
}

/* ---- operands ---- */

static const char *any_register(bool is_whole)
{
	static const char *const whole[] = {"rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
		"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15"};
	static const char *const parts[] = {"eax", "ax", "al", "ah", "bl", "bh", "r8d", "r15w",
		"r11b", "sil", "edi", "rip", "xmm0", "ymm15", "st", "r16", "cr0", ""};

	return is_whole || below(3) ? whole[below(sizeof(whole) / sizeof(*whole))]
				    : parts[below(sizeof(parts) / sizeof(*parts))];
}

static long long any_number(void)
{
	static const long long ends[] = {0, 1, -1, 127, -128, 4095, 4096, INT32_MAX, INT32_MIN,
		UINT32_MAX, INT64_MAX, INT64_MIN};

	return below(2) ? ends[below(sizeof(ends) / sizeof(*ends))]
			: (long long)(random_next(&source) >> below(64));
}

static void any_operand(char *text, size_t size)
{
	static const char *const sizes[] = {
		"1", "-1", "2", "-2", "4", "-4", "8", "-8", "3", "16", "-8f", "0", "255"};
	const char *bytes = sizes[below(below(4) ? 8 : sizeof(sizes) / sizeof(*sizes))];
	bool is_whole = below(4);

	switch (below(8)) {
	case 0:
		snprintf(text, size, "%s@$%lld", bytes, any_number());
		break;
	case 1:
		snprintf(text, size, "%s@%%%s", bytes, any_register(false));
		break;
	case 2:
		snprintf(text, size, "%s@(%%%s)", bytes, any_register(is_whole));
		break;
	case 3:
		snprintf(text, size, "%s@%lld(%%%s)", bytes, any_number(), any_register(is_whole));
		break;
	case 4:
		snprintf(text, size, "%s@%lld(%%%s,%%%s,%u)", bytes, any_number(),
			any_register(is_whole), any_register(is_whole), 1u << below(4));
		break;
	case 5:
		snprintf(text, size, "%s@%lld(,%%%s,%u)", bytes, any_number(),
			any_register(is_whole), 1u << below(5));
		break;
	case 6:
		snprintf(text, size, "%s@%%%s:%lld", bytes, below(2) ? "fs" : "ds", any_number());
		break;
	default:
		snprintf(text, size, "%s@name+%lld(%%rip)", bytes, any_number());
		break;
	}
	if (!below(16) && *text) /* and what no compiler writes */
		text[below((unsigned)strlen(text))] = (char)(32 + below(95));
}

static void make_site(struct kernel_site *site, char *text, size_t size)
{
	static struct kernel_operand arguments[KERNEL_ARGUMENTS_MAX];
	struct operand_argument argument;
	const char *rest = text;

	memset(arguments, 0, sizeof(arguments));
	*site = (struct kernel_site){
		.arguments = arguments, .pid = below(2) ? 1 + below(1u << 22) : 0};
	*text = '\0';
	for (unsigned i = below(KERNEL_ARGUMENTS_MAX + 1); i > 0; i--) {
		size_t length = strlen(text);

		any_operand(text + length, size - length);
		strncat(text, " ", size - strlen(text) - 1);
	}
	while (site->argument_count < KERNEL_ARGUMENTS_MAX &&
		operand_next_argument(EM_X86_64, &rest, &argument)) {
		struct kernel_operand *taken = &site->arguments[site->argument_count++];

		kernel_operand_take(&argument, taken);
		if (taken->kind == KERNEL_OPERAND_UNRESOLVED && below(2)) {
			taken->kind = KERNEL_OPERAND_MEMORY;
			taken->base = KERNEL_RIP;
		}
	}
}

/* ---- demands ---- */

static uint32_t any_length(void)
{
	static const uint32_t ends[] = {
		0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 255, 256, 257, 4095, 4096, 4097, 8192, 40000};

	return below(3) ? ends[below(sizeof(ends) / sizeof(*ends))] : below(600);
}

static uint32_t any_frames(void)
{
	return below(4) ? 0 : below(2) ? 1 + below(300) : D_DEMAND_ALL_FRAMES;
}

static void make_demand(struct d_demand *demand, struct d_piece *pieces)
{
	*demand = (struct d_demand){.arguments = random_next(&source) & random_next(&source),
		.pieces = pieces,
		.needs = (below(4) ? 0 : d_need_bit(D_NEED_CPU_TIME)) |
			(below(4) ? 0 : d_need_bit(D_NEED_THREAD_ADDRESS)),
		.process = !below(4),
		.registers = below(4) ? 0 : random_next(&source),
		.kernel_frames = any_frames(),
		.user_frames = any_frames(),
		.directory = !below(8),
		.root_directory = !below(8)};
	for (unsigned count = below(below(8) ? 6 : D_DEMAND_PIECES_MAX + 1); count > 0; count--) {
		struct d_piece *piece = &pieces[demand->piece_count];

		*piece = (struct d_piece){.from = (enum d_piece_base)below(3),
			.at = below(4) ? 8 * below(4) : below(5000),
			.offset = below(2) ? below(64) : any_number(),
			.is_string = below(2),
			.length = any_length(),
			.is_counted = !below(3),
			.counter = below(16),
			.more = below(2) ? below(3) : any_number()};
		if (piece->from == D_PIECE_POINTER && !demand->piece_count)
			piece->from = D_PIECE_ARGUMENT;
		piece->base = piece->from == D_PIECE_POINTER ? below((unsigned)demand->piece_count)
							     : below(20);
		demand->piece_count++;
	}
}

/* ---- programs ---- */

static int make_maps(struct kernel_maps *maps)
{
	maps->wake_bytes = RING_BYTES / 2;
	maps->site_count = SITES_MANY;
	maps->ring = bpf_map(BPF_MAP_TYPE_RINGBUF, 0, 0, RING_BYTES, 0);
	maps->counters = bpf_map(
		BPF_MAP_TYPE_ARRAY, 4, 8 * (KERNEL_COUNTER_SITES + SITES_MANY), 1, BPF_F_MMAPABLE);
	maps->task = bpf_task_map(KERNEL_CAPTURE_MAX);
	maps->sample = bpf_map(BPF_MAP_TYPE_PERCPU_ARRAY, 4, SAMPLE_BYTES, 1, 0);
	kernel_layout_find(&maps->layout);
	if (maps->ring < 0 || maps->counters < 0)
		return maps->ring < 0 ? maps->ring : maps->counters;
	return maps->task < 0 ? maps->task : maps->sample;
}

/* 1: loaded; 0: refused by the plan, as it may be; -1: refused by the kernel. */
static int load_one(const struct kernel_plan *plan, const struct kernel_maps *maps,
	struct bpf_features features)
{
	struct bpf_code code;
	struct error error;
	int result;

	if (!below(4) || plan->is_sample) /* it never sleeps */
		features.copy_string = 0;
	if (!below(4))
		features.multi = false;
	if (!below(4)) {
		features.other_namespace = true;
		features.namespace_device = 4;
		features.namespace_inode = UINT64_C(0xf0000001);
	}
	bpf_code_begin(&code);
	kernel_capture_generate(&code, plan, maps, &features);
	result = bpf_code_end(&code);
	if (result) {
		printf("a program of %u parts is not made: %s\n", plan->part_count,
			strerror(-result));
	} else {
		result = bpf_load(code.instructions, code.count,
			plan->is_sample ? BPF_SAMPLES
					: (plan->sleeps ? BPF_SLEEPS : 0) |
					(features.multi ? BPF_MULTI : 0),
			&error);
		if (result < 0)
			printf("%s\n", error.text);
	}
	bpf_code_free(&code);
	if (result > 0)
		close(result);
	return result < 0 ? -1 : 1;
}

static int try_seed(
	uint64_t seed, const struct kernel_maps *maps, const struct bpf_features *features)
{
	static struct d_piece pieces[WANTS_MAX][D_DEMAND_PIECES_MAX];
	struct d_demand demands[WANTS_MAX];
	struct source_want wants[WANTS_MAX] = {{0}};
	struct kernel_site site;
	struct kernel_plan plan;
	char text[1024];
	unsigned argument, count;
	int result;

	source.state = seed;
	make_site(&site, text, sizeof(text));
	count = 1 + below(WANTS_MAX);
	for (unsigned i = 0; i < count; i++) {
		make_demand(&demands[i], pieces[i]);
		wants[i].demand = below(16) ? &demands[i] : NULL;
	}
	result = kernel_plan_make(&plan, &site, wants, count, &argument);
	if (result == -ENOTSUP || result == -E2BIG ||
		(!result && plan.is_sample && plan.limit > SAMPLE_BYTES) ||
		(!result && plan.has_cpu_clock && !maps->layout.has_clock))
		return 0;
	if (!result)
		result = load_one(&plan, maps, *features);
	if (result < 0)
		printf("seed %" PRIu64 ": %s\n", seed, text);
	return result;
}

int main(int count, char **words)
{
	uint64_t seed = count > 1 ? strtoull(words[1], NULL, 0) : 1;
	unsigned long tries = count > 2 ? strtoul(words[2], NULL, 0) : 1000, loaded = 0;
	struct bpf_features features;
	struct kernel_maps maps;
	struct error error;
	int result = bpf_features(&features, &error);

	if (result) {
		printf("%s\n", error.text);
		return 77;
	}
	bpf_find_copy_string(&features);
	result = make_maps(&maps);
	if (!result)
		result = kernel_directory_find(&maps.directories, &error);
	if (result < 0) {
		printf("maps: %s\n", strerror(-result));
		return 1;
	}
	for (unsigned long i = 0; i < tries; i++) {
		result = try_seed(seed + i, &maps, &features);
		if (result < 0)
			return 1;
		loaded += (unsigned long)result;
	}
	printf("%lu of %lu plans were loaded; the others ask for too much\n", loaded, tries);
	return loaded ? 0 : 1;
}
