/*
 * test_demand.c: what clauses demand of the events that fire them: arguments, pieces of memory,
 * stacks, registers, times, predicates; and the request that a program makes of its source.
 */
#include "d_fixture.h"

#include "program/demand.h"
#include "source/request.h"
#include "unit_main.h"

static struct d_fixture fixture;
static char *text;

static void setup(void)
{
	d_fixture_open(&fixture);
	text = NULL;
}

static void teardown(void)
{
	free(text);
	d_fixture_close(&fixture);
}

static void print_piece(FILE *file, const struct d_piece *piece)
{
	fprintf(file, piece->path ? " path(" : piece->is_string ? " string(" : " bytes(");
	if (piece->from == D_PIECE_ARGUMENT)
		fprintf(file, "arg%u", piece->base);
	else if (piece->from == D_PIECE_POINTER)
		fprintf(file, "#%u[%u]", piece->base, piece->at);
	else if (piece->from == D_PIECE_COMPUTED)
		fprintf(file, "computed");
	if (piece->offset || piece->from == D_PIECE_FIXED)
		fprintf(file, "%+lld", (long long)piece->offset);
	if (piece->index)
		fprintf(file, "+arg%u:%d*%lld", piece->index - 1, piece->index_bits,
			(long long)piece->index_scale);
	fprintf(file, ", %u", piece->length);
	if (piece->is_counted && piece->from == D_PIECE_COMPUTED)
		fprintf(file, " computed");
	else if (piece->is_counted)
		fprintf(file, " arg%u%+lld", piece->counter, (long long)piece->more);
	fputc(')', file);
}

static void print_frames(FILE *file, const char *name, uint32_t frames)
{
	if (frames == D_DEMAND_ALL_FRAMES)
		fprintf(file, " %s(all)", name);
	else if (frames)
		fprintf(file, " %s(%u)", name, frames);
}

/* A demand in words, without the processor, which all that print need. */
static void print_demand(FILE *file, const struct d_demand *demand)
{
	for (unsigned i = 0; i < 64; i++)
		if (demand->arguments >> i & 1)
			fprintf(file, " arg%u", i);
	for (size_t i = 0; i < demand->piece_count; i++)
		print_piece(file, &demand->pieces[i]);
	if (demand->any_memory)
		fprintf(file, " anywhere%s", demand->is_partial ? " not all" : "");
	print_frames(file, "stack", demand->kernel_frames);
	print_frames(file, "ustack", demand->user_frames);
	for (unsigned i = 0; i < 64; i++)
		if (demand->registers >> i & 1)
			fprintf(file, " uregs[%u]", i);
	if (demand->time)
		fprintf(file, " time");
	if (demand->predicate)
		fprintf(file, " predicate");
	for (unsigned i = 0; i < D_NEEDS; i++)
		if (i != D_NEED_CPU && demand->needs >> i & 1)
			fprintf(file, " [%s]", d_need_text((enum d_need)i));
}

static const char *demand_of(const char *script)
{
	struct d_demand demand;
	size_t size;
	FILE *file;

	d_fixture_listing(&fixture, script);
	free(text);
	file = open_memstream(&text, &size);
	ck_assert_ptr_nonnull(file);
	for (size_t i = 0; i < fixture.program->clause_count; i++) {
		fputs(i ? " |" : "", file);
		ck_assert_int_eq(
			d_demand_of(fixture.program, &fixture.program->clauses[i], &demand), 0);
		print_demand(file, &demand);
		d_demand_free(&demand);
	}
	ck_assert_int_eq(fclose(file), 0);
	return *text ? text + 1 : text;
}

static const struct {
	const char *body, *demand;
} clauses[] = {
	/* arguments */
	{"{ }", ""},
	{"{ @[arg3] = count(); }", "arg3"},
	{"{ trace(arg0); trace(args[4]); x = arg9; }", "arg0 arg4 arg9"},
	{"/arg1 == 3/ { }", "arg1 predicate"},
	{"{ trace(sizeof(arg2)); }", ""},

	/* strings */
	{"{ @[copyinstr(arg1)] = count(); }", "arg1 string(arg1, 256)"},
	{"{ trace(copyinstr(arg1, 16)); }", "arg1 string(arg1, 16)"},
	{"{ trace(copyinstr(arg1, 16)); trace(copyinstr(arg1, 99999)); }",
		"arg1 string(arg1, 256)"},
	{"{ trace(copyinstr(arg1 + 8)); trace(copyinstr(arg1 - 2)); }",
		"arg1 string(arg1+8, 256) string(arg1-2, 256)"},
	{"{ trace(stringof(arg0)); }", "arg0 string(arg0, 256)"},
	{"{ trace(copyinstr(arg1, arg2)); }", "arg1 arg2 string(arg1, 256 arg2+0)"},

	/* bytes, and integers in them */
	{"{ tracemem(copyin(arg0, 64), 64); }", "arg0 bytes(arg0, 64)"},
	{"{ trace(*(int *)copyin(arg0 + 4 * 3, 4)); }", "arg0 bytes(arg0+12, 4)"},
	{"{ this->p = (int *)copyin(arg0, 16); trace(this->p[1] + this->p[arg1]); }",
		"arg0 arg1 bytes(arg0, 16)"},
	{"{ trace(*(short *)(arg0 + 2)); }", "arg0 bytes(arg0+2, 2)"},
	{"{ trace(copyin(arg0, arg1)); }", "arg0 arg1 bytes(arg0, 4096 arg1+0)"},
	{"{ trace(copyin(arg0 + 8, arg1 + 1)); trace(copyin(arg0 + 8, arg1)); }",
		"arg0 arg1 bytes(arg0+8, 4096 arg1+1) bytes(arg0+8, 4096 arg1+0)"},
	{"{ trace(stringof(copyin(arg1, arg2))); trace(copyinstr(arg1)); }",
		"arg1 arg2 bytes(arg1, 4096 arg2+0) string(arg1, 256)"},
	{"{ trace(copyin(arg0, arg1 * 2)); }", "arg0 arg1 bytes(computed, 4096 computed) anywhere"},
	{"{ trace(*(int *)copyin((uintptr_t)*(char **)copyin(arg0, arg1), 4)); }",
		"arg0 arg1 bytes(arg0, 4096 arg1+0) bytes(computed, 4) anywhere"},
	{"{ this->b = alloca(8); copyinto(arg1, 8, this->b); trace(*(int *)this->b); }",
		"arg1 bytes(arg1, 8)"},
	{"{ this->b = alloca(8); bcopy((void *)arg1, this->b, 6); }", "arg1 bytes(arg1, 6)"},
	{"{ trace(inet_ntoa((uint32_t *)arg1)); }", "arg1 bytes(arg1, 4)"},

	/* addresses that are read: pointers in memory */
	{"{ trace(copyinstr(*(uintptr_t *)copyin(arg0 + 8, 8))); }",
		"arg0 bytes(arg0+8, 8) string(#0[0], 256)"},
	{"{ this->p = (uint64_t *)copyin(arg0, 24); trace(copyinstr(this->p[2] + 1)); }",
		"arg0 bytes(arg0, 24) string(#0[16]+1, 256)"},
	{"{ trace(**(int **)arg1); }", "arg1 bytes(arg1, 8) bytes(#0[0], 4)"},
	{"{ this->p = (uint64_t *)copyin(arg0, 8); *this->p = 1; trace(copyinstr(*this->p)); }",
		"arg0 bytes(arg0, 8) string(computed, 256) anywhere"},
	{"{ trace(copyinstr(*(uint32_t *)copyin(arg0, 4))); }",
		"arg0 bytes(arg0, 4) string(computed, 256) anywhere"},

	/* variables that hold addresses */
	{"{ this->a = arg1; trace(copyinstr(this->a)); }", "arg1 string(arg1, 256)"},
	{"{ this->a = arg1; this->a = n; trace(copyinstr(this->a)); }",
		"arg1 string(computed, 256) anywhere"},
	{"{ trace(copyinstr(this->x)); }", "string(computed, 256) anywhere"},
	{"{ self->a = arg1; trace(copyinstr(self->a)); }",
		"arg1 string(computed, 256) anywhere [the thread of an event]"},
	{"{ trace(copyinstr(arg0 + arg1)); }", "arg0 arg1 string(computed, 256) anywhere"},
	{"{ trace(copyinstr(arg0 + n)); }", "arg0 string(computed, 256) anywhere"},
	{"{ trace(copyinstr(1024)); }", "string(+1024, 256)"},

	/* branches: what one of them looks at counts; what they disagree on is not known */
	{"{ trace(arg0 ? copyinstr(arg1) : copyinstr(arg2)); }",
		"arg0 arg1 arg2 string(arg1, 256) string(arg2, 256)"},
	{"{ trace(copyinstr(arg0 ? arg1 : arg2)); }",
		"arg0 arg1 arg2 string(computed, 256) anywhere"},
	{"{ trace(copyinstr(arg0 ? arg1 : arg1)); }", "arg0 arg1 string(arg1, 256)"},
	{"{ this->a = arg0 ? arg1 : arg2; trace(copyinstr(this->a)); }",
		"arg0 arg1 arg2 string(computed, 256) anywhere"},

	/* memory of the engine's own */
	{"{ trace(((string)\"own\")[1]); }", ""},
	{"{ trace(((int *)arg0)[arg1]); }", "arg0 arg1 bytes(arg0+arg1:64*4, 4)"},
	{"{ trace(((long *)arg0)[(int)arg1 + 2]); }", "arg0 arg1 bytes(arg0+16+arg1:-32*8, 8)"},
	{"{ trace(((struct s { long a, b; } *)arg0)[arg1].b); }",
		"arg0 arg1 bytes(arg0+8+arg1:64*16, 8)"},
	{"{ trace(*((*(char ***)arg0)[(short)arg1])); }",
		"arg0 arg1 bytes(arg0, 8) bytes(#0[0]+arg1:-16*8, 8) bytes(#1[0], 1)"},
	{"{ trace(((int *)arg0)[arg1 * arg2]); }", "arg0 arg1 arg2 bytes(computed, 4) anywhere"},
	{"{ trace(((int *)arg0)[arg1 + arg2]); }", "arg0 arg1 arg2 bytes(computed, 4) anywhere"},
	{"{ trace(((int *)arg0)[self->x]); }",
		"arg0 bytes(computed, 4) anywhere [the thread of an event]"},
	{"{ trace(((int *)arg0)[(int)(arg1 + 1)]); }", "arg0 arg1 bytes(computed, 4) anywhere"},
	{"{ trace(d_path((void *)arg0)); }",
		"arg0 path(arg0, 256) [the open files of the process]"},
	{"{ trace(d_path((void *)(arg0 + 8), 1)); }",
		"arg0 path(arg0+8, 256) [the open files of the process]"},
	{"{ this->p = alloca(8); trace(*(int *)this->p); trace(((char *)this->p)[arg0]); }",
		"arg0"},

	/* stacks, registers, times */
	{"{ ustack(); }", "ustack(100) [the stack of the process]"},
	{"{ ustack(5); ustack(7); stack(); }",
		"stack(20) ustack(7) [the stack of the process] [the stack of the kernel]"},
	{"{ trace(ustackdepth); }", "ustack(all) [the stack of the process]"},
	{"{ trace(uregs[3]); trace(uregs[16]); }",
		"uregs[3] uregs[16] [the registers of the process]"},
	{"{ trace(timestamp); }", "time"},
	{"{ trace(walltimestamp); }", "time"},
	{"{ trace(vtimestamp); }", "[the CPU time of threads]"},
	{"{ trace(ucaller); trace(errno); }",
		"ustack(2) [the address of the caller] [the errno of system calls]"},

	/* predicates that the event alone decides */
	{"/copyinstr(arg1) == \"x\" && pid == 7/ { trace(arg0); }",
		"arg0 arg1 string(arg1, 256) predicate"},
	{"/timestamp > 3/ { }", "time predicate"},
	{"/n++ < 3/ { n = 0; }", ""},
	{"/self->x/ { n = 0; }", "[the thread of an event]"},
	{"/this->x/ { n = 0; }", ""},
	{"/rand() % 2/ { n = 0; }", ""},
	{"/progenyof(4)/ { n = 0; }", ""},
	{"/copyinstr(arg0 + arg1) == \"\"/ { }", "arg0 arg1 string(computed, 256) anywhere"},
	{"/arg0/ { trace(copyinstr(arg0 + arg1)); n++; }",
		"arg0 arg1 string(computed, 256) anywhere predicate"},
};

START_TEST(test_clause)
{
	char script[512];

	snprintf(script, sizeof(script), "int n; this int x; self int x; vm1234:::method-entry %s",
		clauses[_i].body);
	ck_assert_msg(!strcmp(demand_of(script), clauses[_i].demand), "%s: %s\nexpected: %s",
		clauses[_i].body, demand_of(script), clauses[_i].demand);
}
END_TEST

/* strsize is the limit of strings, whenever it is set; each clause has its own demand. */
START_TEST(test_program)
{
	ck_assert_str_eq(demand_of("BEGIN { trace(timestamp); }"
				   "vm1234:::method-entry { trace(copyinstr(arg1)); }"
				   "vm1234:::method-return { trace(arg0); }"
				   "\n#pragma D option strsize=20\n"),
		"time | arg1 string(arg1, 20) | arg0");
}
END_TEST

static uint64_t needs_of(const char *script)
{
	struct d_demand demand;
	uint64_t needs;

	d_fixture_listing(&fixture, script);
	ck_assert_int_eq(d_demand_of(fixture.program, &fixture.program->clauses[0], &demand), 0);
	needs = demand.needs;
	d_demand_free(&demand);
	return needs;
}

/* The processor is shown with what a clause prints, unless the run is quiet. */
START_TEST(test_processor)
{
	const uint64_t cpu = d_need_bit(D_NEED_CPU);

	ck_assert_uint_eq(needs_of("vm1234:::gc-start { x = 1; }"), cpu);
	ck_assert_uint_eq(needs_of("#pragma D option quiet\nvm1234:::gc-start { x = 1; }"), 0);
	ck_assert_uint_eq(needs_of("#pragma D option quiet\nvm1234:::gc-start { x = cpu; }"), cpu);
	ck_assert_uint_eq(needs_of("#pragma D option quiet\n#pragma D option cpu=1\n"
				   "vm1234:::gc-start { x = 1; }"),
		cpu);
	ck_assert_uint_eq(needs_of("#pragma D option quiet\n#pragma D option aggpercpu\n"
				   "vm1234:::gc-start { @ = count(); }"),
		cpu);
}
END_TEST

/* More pieces than a source is asked for: the others are anywhere. */
START_TEST(test_many_pieces)
{
	struct d_demand demand;
	char *script;
	size_t size;
	FILE *file = open_memstream(&script, &size);

	fprintf(file, "vm1234:::method-entry {");
	for (unsigned i = 0; i <= D_DEMAND_PIECES_MAX; i++)
		fprintf(file, " trace(copyinstr(arg0 + %u));", i);
	fprintf(file, " }");
	ck_assert_int_eq(fclose(file), 0);
	d_fixture_listing(&fixture, script);
	free(script);
	ck_assert_int_eq(d_demand_of(fixture.program, &fixture.program->clauses[0], &demand), 0);
	ck_assert_uint_eq(demand.piece_count, D_DEMAND_PIECES_MAX);
	ck_assert(demand.any_memory);
	ck_assert(demand.is_partial);
	ck_assert_uint_eq(demand.read_count, D_DEMAND_PIECES_MAX);
	d_demand_free(&demand);
}
END_TEST

/* One want for each clause on each probe of a source, by probe; the engine's own ask for nothing.
 */
START_TEST(test_request)
{
	/* clauses: 0 BEGIN, 1 gc-start, 2 method-entry, 3 method-*, 4 tick-1s */
	static const uint32_t expected[][2] = {{3, 1}, {5, 2}, {5, 3}, {6, 3}, {9, 1}};
	static const uint32_t each[] = {3, 5, 6, 9};
	struct source_request request;
	uint32_t probes[8];

	d_fixture_listing(&fixture,
		"BEGIN { } gc-start, vm1234:::method-entry { trace(vtimestamp); }"
		"vm1234:::method-* { trace(arg0); } tick-1s { ustack(); }");
	ck_assert_int_eq(source_request_of_program(&request, fixture.program, &fixture.probes), 0);
	ck_assert_ptr_eq(request.program, fixture.program);
	ck_assert_uint_eq(request.want_count, sizeof(expected) / sizeof(expected[0]));
	for (size_t i = 0; i < request.want_count; i++) {
		const struct source_want *want = &request.wants[i];

		ck_assert_uint_eq(want->probe, expected[i][0]);
		ck_assert_uint_eq(want->clause, expected[i][1]);
		ck_assert_uint_eq(want->demand->arguments, want->clause == 3);
	}
	ck_assert_uint_eq(source_request_needs(&request),
		d_need_bit(D_NEED_CPU) | d_need_bit(D_NEED_CPU_TIME));
	ck_assert_uint_eq(source_request_next(&request, 1), 3);
	ck_assert_uint_eq(source_request_next(&request, 4), 5);
	ck_assert_uint_eq(source_request_probes(&request, probes), 4);
	ck_assert_mem_eq(probes, each, sizeof(each));
	source_request_free(&request);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, test_clause, 0, (int)(sizeof(clauses) / sizeof(clauses[0])));
	tcase_add_test(tests, test_program);
	tcase_add_test(tests, test_processor);
	tcase_add_test(tests, test_many_pieces);
	tcase_add_test(tests, test_request);
}
