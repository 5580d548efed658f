/*
 * test_kernel_capture_part.c: whole programs of plans, run by bpf_machine.h on a process made of a
 * few pieces of memory, and their records read by decode.h: arguments, memory, strings on the ways
 * of newer and older kernels, counted memory, indices, stacks and registers arrive as they are in
 * the process; what cannot be read is left out or counted; other processes are left alone.
 *
 * tests: src/kernel/capture/capture_part.c
 */
#include "bpf_machine.h"

#include <stdlib.h>

#include "kernel/capture/capture.h"
#include "kernel/capture/decode.h"
#include "unit_main.h"

enum {
	NO = KERNEL_NO_REGISTER,
	RING_MAP = 900,
	COUNTERS_MAP,
	TASK_MAP,
	SAMPLE_MAP,
	CALLS_MAP,
	MEMBERS_MAP,
	COPY_STRING = 5555,
	SITES = 3,
	FIRST_SITE = 20,
	SITE = 21,
	PID = 99,
	TID = 101
};

#define USER UINT64_C(0x7f0000001000)
#define STACK_PAGE UINT64_C(0x7ffe00004000)
#define KERNEL UINT64_C(0xffff888000001000)

static struct bpf_machine machine;
static struct kernel_plan plan;
static struct kernel_maps maps;
static struct bpf_features features;
static struct kernel_site site;
static struct kernel_operand operands[KERNEL_ARGUMENTS_MAX];
static struct d_demand demand;
static struct d_piece pieces[D_DEMAND_PIECES_MAX];
static struct kernel_decoder decoder;
static struct event_batch batch;
static uint64_t registers[KERNEL_REGISTERS_BYTES / 8];
static uint64_t counters[KERNEL_COUNTER_SITES + SITES];
static _Alignas(8) unsigned char staging[KERNEL_CAPTURE_MAX];
static uint32_t calls[KERNEL_CALLS];
static uint8_t member;
static unsigned char memory[8192];
static unsigned char user_stack[2 * KERNEL_PAGE];

static void setup(void)
{
	memset(&machine, 0, sizeof(machine));
	memset(&demand, 0, sizeof(demand));
	memset(pieces, 0, sizeof(pieces));
	memset(operands, 0, sizeof(operands));
	memset(counters, 0, sizeof(counters));
	counters[KERNEL_COUNTER_OPEN] = 1;
	memset(calls, 0, sizeof(calls));
	memset(staging, 0x77, sizeof(staging));
	memset(registers, 0, sizeof(registers));
	memset(&decoder, 0, sizeof(decoder));
	features = (struct bpf_features){.copy_string = COPY_STRING};
	demand.pieces = pieces;
	site = (struct kernel_site){.arguments = operands};
	maps = (struct kernel_maps){.ring = RING_MAP,
		.wake_bytes = 4096,
		.counters = COUNTERS_MAP,
		.first_site = FIRST_SITE,
		.site_count = SITES,
		.task = TASK_MAP,
		.sample = SAMPLE_MAP,
		.calls = CALLS_MAP};
	machine.pid_tgid = (uint64_t)PID << 32 | TID;
	machine.cookie = SITE;
	machine.time = 123456789;
	machine.cpu = 3;
	machine.task = KERNEL;
	machine.task_registers = (uintptr_t)registers;
	machine.copy_string = COPY_STRING;
	for (size_t i = 0; i < sizeof(memory); i++)
		memory[i] = (unsigned char)(1 + i % 251);
	bpf_machine_add_area(&machine, registers, sizeof(registers));
	bpf_machine_add_map(&machine, RING_MAP, NULL, 0);
	bpf_machine_add_map(&machine, COUNTERS_MAP, counters, sizeof(counters));
	bpf_machine_add_map(&machine, TASK_MAP, staging, sizeof(staging));
	bpf_machine_add_map(&machine, SAMPLE_MAP, staging, sizeof(staging));
	bpf_machine_add_map(&machine, CALLS_MAP, calls, sizeof(calls));
	bpf_machine_add_map(&machine, MEMBERS_MAP, &member, sizeof(member));
	bpf_machine_add_piece(&machine, USER, memory, sizeof(memory), false);
}

static void teardown(void)
{
	kernel_decode_free(&decoder);
}

static void set_register(unsigned argument, enum kernel_register reg, uint64_t value)
{
	operands[argument] = (struct kernel_operand){
		.kind = KERNEL_OPERAND_REGISTER, .base = (uint16_t)reg, .index = NO, .size = 8};
	if (site.argument_count <= argument)
		site.argument_count = (uint8_t)(argument + 1);
	demand.arguments |= UINT64_C(1) << argument;
	registers[reg / 8] = value;
}

static void add_piece(struct d_piece piece)
{
	pieces[demand.piece_count++] = piece;
}

/* Runs the program of a plan for the site and the demand. */
static void run_with(const void *context)
{
	const struct source_want want = {.demand = &demand};
	struct bpf_code code;
	unsigned argument;

	ck_assert_int_eq(kernel_plan_make(&plan, &site, &want, 1, &argument), 0);
	bpf_code_begin(&code);
	kernel_capture_generate(&code, &plan, &maps, &features);
	ck_assert_int_eq(bpf_code_end(&code), 0);
	ck_assert_uint_eq(bpf_machine_run(&machine, &code, context), 0);
	bpf_code_free(&code);
}

static void run(void)
{
	run_with(registers);
}

/* The event of the record, whose capture is batch.captures[0]. */
static const struct event *decode(void)
{
	const struct kernel_record record = {
		.bytes = machine.record, .size = (uint32_t)machine.record_size};

	ck_assert_uint_eq(machine.submitted, 1);
	ck_assert_uint_eq(machine.discarded, 0);
	ck_assert_uint_le(machine.record_size, plan.limit);
	kernel_decode_begin(&decoder);
	ck_assert_int_eq(kernel_decode_add(&decoder, &record, &plan, 7, 2, NULL), 0);
	batch = (struct event_batch){0};
	kernel_decode_end(&decoder, &batch);
	ck_assert_uint_eq(batch.event_count, 1);
	return &batch.events[0];
}

/* Whether the capture has the piece with these bytes. */
static bool has(uint64_t address, const void *bytes, uint32_t length)
{
	const struct event_capture *capture = &batch.captures[0];

	for (uint32_t i = 0; i < capture->piece_count; i++)
		if (capture->pieces[i].address == address && capture->pieces[i].length == length &&
			!memcmp(capture->pieces[i].bytes, bytes, length))
			return true;
	return false;
}

static void expect_no_record(void)
{
	ck_assert_uint_eq(machine.submitted, 0);
}

START_TEST(arguments_and_head)
{
	const struct event *event;
	struct kernel_head head;

	set_register(0, KERNEL_RDI, 11);
	set_register(2, KERNEL_RDX, UINT64_MAX);
	demand.arguments = 5; /* arg1 is not wanted */
	operands[1] = operands[0];
	run();
	event = decode();
	memcpy(&head, machine.record, sizeof(head));
	ck_assert_uint_eq(head.site, SITE);
	ck_assert_uint_eq(head.pid, PID);
	ck_assert_uint_eq(head.kind, KERNEL_RECORD_EVENT);
	ck_assert_uint_eq(event->time, machine.time);
	ck_assert_uint_eq(event->tid, TID);
	ck_assert_uint_eq(event->cpu, 3);
	ck_assert_uint_eq(event->probe, 7);
	ck_assert_uint_eq(event->process, 2);
	ck_assert_uint_eq(event->argument_count, 3);
	ck_assert_uint_eq(event->arguments[0], 11);
	ck_assert_uint_eq(event->arguments[1], 0);
	ck_assert_uint_eq(event->arguments[2], UINT64_MAX);
	ck_assert_uint_eq(counters[KERNEL_COUNTER_LOST], 0);
	ck_assert_uint_eq(machine.slept, 0);
}
END_TEST

/* Before all is attached, and when it is being detached. */
START_TEST(sites_that_are_not_open)
{
	set_register(0, KERNEL_RDI, 11);
	counters[KERNEL_COUNTER_OPEN] = 0;
	run();
	expect_no_record();
	ck_assert_uint_eq(counters[KERNEL_COUNTER_LOST], 0);
	counters[KERNEL_COUNTER_OPEN] = 1;
	run();
	decode();
}
END_TEST

/* Pieces of fixed length, one after a pointer that lies in another one. */
START_TEST(memory_and_pointers)
{
	const uint64_t pointer = USER + 500;

	memcpy(memory + 108, &pointer, sizeof(pointer));
	set_register(0, KERNEL_RDI, USER + 100);
	add_piece((struct d_piece){.from = D_PIECE_ARGUMENT, .length = 20});
	add_piece((struct d_piece){
		.from = D_PIECE_POINTER, .base = 0, .at = 8, .offset = 3, .length = 9});
	add_piece((struct d_piece){.from = D_PIECE_FIXED, .offset = USER + 700, .length = 1});
	run();
	decode();
	ck_assert_uint_eq(batch.captures[0].piece_count, 3);
	ck_assert(has(USER + 100, memory + 100, 20));
	ck_assert(has(USER + 503, memory + 503, 9));
	ck_assert(has(USER + 700, memory + 700, 1));
}
END_TEST

/* What cannot be read is left out, with what it leads to; the others are there. */
START_TEST(memory_that_is_missing)
{
	set_register(0, KERNEL_RDI, 16);
	set_register(1, KERNEL_RSI, USER);
	add_piece((struct d_piece){.from = D_PIECE_ARGUMENT, .length = 16});
	add_piece((struct d_piece){.from = D_PIECE_POINTER, .base = 0, .at = 8, .length = 8});
	add_piece((struct d_piece){.from = D_PIECE_ARGUMENT, .base = 1, .length = 8});
	add_piece((struct d_piece){
		.from = D_PIECE_ARGUMENT, .base = 0, .is_string = true, .length = 8});
	run();
	decode();
	ck_assert(has(USER, memory, 8));
	ck_assert_uint_eq(batch.captures[0].piece_count, 1);
	ck_assert_uint_eq(counters[KERNEL_COUNTER_LOST], 0);
}
END_TEST

/* An index in an argument, cut to its type, selects the element. */
START_TEST(elements_of_arrays)
{
	set_register(0, KERNEL_RDI, USER + 1000);
	set_register(1, KERNEL_RSI, UINT64_C(0xffffffff00000002)); /* 2 as 32 bits */
	add_piece((struct d_piece){.from = D_PIECE_ARGUMENT,
		.index = 2,
		.index_bits = 32,
		.index_scale = 12,
		.length = 4});
	add_piece((struct d_piece){.from = D_PIECE_ARGUMENT,
		.offset = 8,
		.index = 2,
		.index_bits = -8,
		.index_scale = -3,
		.length = 5});
	run();
	decode();
	ck_assert(has(USER + 1024, memory + 1024, 4));
	ck_assert(has(USER + 1002, memory + 1002, 5));
	registers[KERNEL_RSI / 8] = 0xff; /* -1 as 8 bits */
	machine.submitted = 0;
	run();
	decode();
	ck_assert(has(USER + 1011, memory + 1011, 5));
}
END_TEST

/* By both ways to read a string, with the page in memory or on disk. */
START_TEST(strings)
{
	static const size_t lengths[] = {0, 1, 7, 8, 15, 16, 17, 40};

	for (unsigned i = 0; i < 3; i++)
		for (unsigned j = 0; j < sizeof(lengths) / sizeof(*lengths); j++) {
			size_t length = lengths[j];
			bool is_cut =
				length >= 16; /* whether its NUL is the kernel's is not known */

			teardown();
			setup();
			features.copy_string = i ? 0 : COPY_STRING;
			machine.pieces[0].is_away = i == 2;
			memory[200 + length] = '\0';
			set_register(0, KERNEL_RDI, USER + 200);
			add_piece((struct d_piece){
				.from = D_PIECE_ARGUMENT, .is_string = true, .length = 16});
			add_piece((struct d_piece){
				.from = D_PIECE_FIXED, .offset = USER + 300, .length = 3});
			if (i == 2) /* a piece of memory would fetch the page */
				demand.piece_count = 1;
			run();
			decode();
			ck_assert_msg(
				has(USER + 200, memory + 200, (uint32_t)(is_cut ? 16 : length + 1)),
				"way %u, %zu bytes", i, length);
			ck_assert(i == 2 || has(USER + 300, memory + 300, 3));
			ck_assert(i < 2 || machine.slept);
		}
}
END_TEST

/* A string of which an argument says the greatest length. */
START_TEST(strings_with_a_limit)
{
	memory[220] = '\0';
	set_register(0, KERNEL_RDI, USER + 200);
	set_register(1, KERNEL_RSI, 5);
	add_piece((struct d_piece){.from = D_PIECE_ARGUMENT,
		.is_string = true,
		.length = 64,
		.is_counted = true,
		.counter = 1});
	run();
	decode();
	ck_assert(has(USER + 200, memory + 200, 5));
	registers[KERNEL_RSI / 8] = 4000;
	machine.submitted = 0;
	run();
	decode();
	ck_assert(has(USER + 200, memory + 200, 21));
}
END_TEST

/* Memory whose length is an argument; parts after it find their places. */
START_TEST(counted_memory)
{
	static const uint32_t counts[] = {0, 1, 8, 9, 100, 101};

	for (unsigned i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		teardown();
		setup();
		memory[50] = '\0';
		set_register(0, KERNEL_RDI, USER);
		set_register(1, KERNEL_RSI, counts[i] - 1);
		add_piece((struct d_piece){.from = D_PIECE_ARGUMENT,
			.offset = 600,
			.length = 100,
			.is_counted = true,
			.counter = 1,
			.more = 1});
		add_piece((struct d_piece){
			.from = D_PIECE_ARGUMENT, .offset = 44, .is_string = true, .length = 30});
		run();
		decode();
		ck_assert(has(USER + 44, memory + 44, 7));
		ck_assert_msg(
			batch.captures[0].piece_count == (counts[i] && counts[i] <= 100 ? 2u : 1u),
			"%u bytes", counts[i]);
		ck_assert(batch.captures[0].piece_count == 1 ||
			has(USER + 600, memory + 600, counts[i]));
	}
}
END_TEST

/* Frames of the kernel, at most as many as are wanted, and registers. */
START_TEST(stacks_and_registers)
{
	const struct event_capture *capture;

	for (unsigned i = 0; i < 4; i++)
		machine.frames[i] = KERNEL + i;
	machine.frame_count = 4;
	demand.kernel_frames = 3;
	demand.registers = 1;
	registers[KERNEL_R15 / 8] = 1515;
	registers[KERNEL_RSP / 8] = STACK_PAGE;
	run();
	decode();
	capture = &batch.captures[0];
	ck_assert_uint_eq(capture->kernel.count, 3);
	ck_assert_mem_eq(capture->kernel.frames, machine.frames, 3 * sizeof(uint64_t));
	ck_assert_uint_eq(capture->register_count, KERNEL_REGISTERS_BYTES / 8);
	ck_assert_mem_eq(capture->registers, registers, sizeof(registers));
}
END_TEST

/* The user stack is copied by pages, from the beginning of the innermost one to the last one that
 * can be read. */
START_TEST(copy_of_the_user_stack)
{
	int32_t length;

	for (size_t i = 0; i < sizeof(user_stack); i++)
		user_stack[i] = (unsigned char)(i / 7);
	bpf_machine_add_piece(&machine, STACK_PAGE, user_stack, sizeof(user_stack), false);
	demand.user_frames = 5;
	registers[KERNEL_RSP / 8] = STACK_PAGE + 1234;
	run();
	decode();
	ck_assert_uint_eq(plan.part_count, 1);
	memcpy(&length, machine.record + plan.lengths, sizeof(length));
	ck_assert_int_eq(length, 2 * KERNEL_PAGE);
	ck_assert_mem_eq(machine.record + plan.begin, user_stack, sizeof(user_stack));
}
END_TEST

/* An argument in memory that cannot be read: the event counts as lost, and why. */
START_TEST(unreadable_arguments)
{
	operands[0] = (struct kernel_operand){
		.kind = KERNEL_OPERAND_MEMORY, .base = KERNEL_RDI, .index = NO, .size = 4};
	site.argument_count = 1;
	demand.arguments = 1;
	run();
	expect_no_record();
	ck_assert_uint_eq(counters[KERNEL_COUNTER_UNREADABLE], 1);
	ck_assert_uint_eq(counters[KERNEL_COUNTER_LOST], 1);
	ck_assert_uint_eq(counters[KERNEL_COUNTER_SITES + SITE - FIRST_SITE], 1);
	registers[KERNEL_RDI / 8] = USER;
	run();
	decode();
	ck_assert_uint_eq(counters[KERNEL_COUNTER_LOST], 1);
}
END_TEST

/* Whether the record is made in the ring or in the thread's memory. */
START_TEST(full_ring)
{
	set_register(0, KERNEL_RDI, USER);
	if (_i)
		add_piece((struct d_piece){.from = D_PIECE_ARGUMENT, .length = 8});
	machine.is_full = true;
	run();
	expect_no_record();
	ck_assert_uint_eq(machine.discarded, (unsigned)_i); /* a dynptr must be given back */
	ck_assert_uint_eq(counters[KERNEL_COUNTER_LOST], 1);
	ck_assert_uint_eq(counters[KERNEL_COUNTER_UNREADABLE], 0);
	ck_assert_uint_eq(counters[KERNEL_COUNTER_SITES + SITE - FIRST_SITE], 1);
	machine.cookie = FIRST_SITE + SITES; /* of another source: not counted */
	run();
	ck_assert_uint_eq(counters[KERNEL_COUNTER_LOST], 1);
}
END_TEST

START_TEST(other_processes)
{
	set_register(0, KERNEL_RDI, 1);
	site.pid = PID + 1;
	run();
	expect_no_record();
	site.pid = PID;
	run();
	decode();
	machine.submitted = 0;
	site.pid = 0;
	maps.members = MEMBERS_MAP;
	run();
	decode();
	machine.submitted = 0;
	machine.maps[machine.map_count - 1].value = NULL; /* it is not in the map */
	run();
	expect_no_record();
	ck_assert_uint_eq(counters[KERNEL_COUNTER_LOST], 0);
}
END_TEST

/* A program of system calls finds the site by the call's number, and reads nothing that may have to
 * be fetched. */
START_TEST(system_calls)
{
	enum { NUMBER = 17 };
	uint64_t context[2] = {0, NUMBER};
	struct kernel_head head;

	bpf_machine_add_area(&machine, context, sizeof(context));
	site.is_machine = site.is_call = true;
	set_register(0, KERNEL_RDI, USER + 64);
	add_piece((struct d_piece){.from = D_PIECE_ARGUMENT, .length = 8});
	run_with(context);
	expect_no_record();
	calls[NUMBER] = FIRST_SITE + 2 + 1;
	run_with(context);
	decode();
	memcpy(&head, machine.record, sizeof(head));
	ck_assert_uint_eq(head.site, FIRST_SITE + 2);
	ck_assert(has(USER + 64, memory + 64, 8));
	ck_assert_uint_eq(machine.slept, 0);
	machine.submitted = 0;
	context[1] = KERNEL_CALLS + NUMBER;
	run_with(context);
	expect_no_record();
	context[1] = NUMBER;
	maps.own_pid = PID;
	run_with(context);
	expect_no_record();
}
END_TEST

/* Memory of the kernel is read where the site is the kernel's, by the address's sign. */
START_TEST(memory_of_the_kernel)
{
	static const unsigned char bytes[16] = "kernel's memory";
	uint64_t context[2] = {KERNEL, 0};

	bpf_machine_add_area(&machine, context, sizeof(context));
	bpf_machine_add_piece(&machine, KERNEL, bytes, sizeof(bytes), true);
	site.is_machine = true;
	operands[0] = (struct kernel_operand){
		.kind = KERNEL_OPERAND_CONTEXT, .base = 0, .index = NO, .size = 8};
	site.argument_count = 1;
	demand.arguments = 1;
	add_piece((struct d_piece){.from = D_PIECE_ARGUMENT, .length = 16});
	add_piece((struct d_piece){
		.from = D_PIECE_ARGUMENT, .offset = 9, .is_string = true, .length = 16});
	add_piece((struct d_piece){.from = D_PIECE_FIXED, .offset = USER, .length = 4});
	run_with(context);
	decode();
	ck_assert(has(KERNEL, bytes, 16));
	ck_assert(has(KERNEL + 9, bytes + 9, 7));
	ck_assert(has(USER, memory, 4));
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_test(tests, arguments_and_head);
	tcase_add_test(tests, sites_that_are_not_open);
	tcase_add_test(tests, memory_and_pointers);
	tcase_add_test(tests, memory_that_is_missing);
	tcase_add_test(tests, elements_of_arrays);
	tcase_add_test(tests, strings);
	tcase_add_test(tests, strings_with_a_limit);
	tcase_add_test(tests, counted_memory);
	tcase_add_test(tests, stacks_and_registers);
	tcase_add_test(tests, copy_of_the_user_stack);
	tcase_add_test(tests, unreadable_arguments);
	tcase_add_loop_test(tests, full_ring, 0, 2);
	tcase_add_test(tests, other_processes);
	tcase_add_test(tests, system_calls);
	tcase_add_test(tests, memory_of_the_kernel);
}
