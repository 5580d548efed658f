/*
 * test_kernel_reduce.c: which clauses are carried out by BPF programs or followed, and that the
 * kernel accepts the programs that are made of them. Without privilege, the programs are only
 * generated.
 *
 * tests: src/kernel/translate src/kernel/reduce/follow.c
 */
#include "d_fixture.h"

#include <errno.h>
#include <unistd.h>

#include "base/error.h"
#include "kernel/bpf/bpf.h"
#include "kernel/bpf/bpf_features.h"
#include "kernel/capture/capture.h"
#include "kernel/reduce/reduce.h"
#include "kernel/reduce/refusal.h"
#include "kernel/translate/translate.h"
#include "source/request.h"
#include "unit_main.h"

enum { RING_BYTES = 1 << 16, COUNTERS = 8 << 10 };

static struct d_fixture fixture;
static struct source_request request;
static struct kernel_reduction reduction;
static struct bpf_features features;
static struct kernel_maps maps;
static bool may_load, may_write;

static void setup(void)
{
	struct error error;

	d_fixture_open(&fixture);
	may_load = !bpf_features(&features, &error);
	may_write = may_load && bpf_may_write();
	if (may_load)
		bpf_find_copy_string(&features);
	maps = (struct kernel_maps){.ring = -1, .counters = -1, .task = -1, .site_count = 3};
	if (!may_load)
		return;
	maps.ring = bpf_map(BPF_MAP_TYPE_RINGBUF, 0, 0, RING_BYTES, 0);
	maps.counters = bpf_map(BPF_MAP_TYPE_ARRAY, 4, COUNTERS, 1, BPF_F_MMAPABLE);
	maps.task = bpf_task_map(KERNEL_CAPTURE_MAX);
	kernel_layout_find(&maps.layout);
	ck_assert_int_ge(maps.ring, 0);
	ck_assert_int_ge(maps.counters, 0);
	ck_assert_int_ge(maps.task, 0);
}

static void teardown(void)
{
	kernel_reduce_free(&reduction);
	source_request_free(&request);
	if (may_load) {
		close(maps.ring);
		close(maps.counters);
		close(maps.task);
	}
	d_fixture_close(&fixture);
}

/* Compiles a script and decides about its clauses. */
static void decide(const char *script)
{
	int result;

	kernel_reduce_free(&reduction);
	source_request_free(&request);
	d_fixture_listing(&fixture, script);
	ck_assert_int_eq(source_request_of_program(&request, fixture.program, &fixture.probes), 0);
	result = kernel_reduce_begin(&reduction, &request, false);
	ck_assert_msg(!result || !may_load, "%s: %s", script, strerror(-result));
	kernel_reduce_use(&maps, &reduction);
}

/* Numbers of the clauses that are carried out. */
static const char *reduced(void)
{
	static char text[256];

	*text = '\0';
	for (size_t i = 0; i < fixture.program->clause_count && reduction.taken; i++)
		if (reduction.taken[i])
			sprintf(text + strlen(text), *text ? " %zu" : "%zu", i);
	return text;
}

static void load(
	const struct kernel_plan *plan, const struct bpf_features *with, const char *script)
{
	bool sleeps = plan->sleeps || plan->clauses_sleep;
	struct bpf_code code;
	struct error error;
	int program;

	bpf_code_begin(&code);
	kernel_capture_generate(&code, plan, &maps, with);
	ck_assert_msg(!bpf_code_end(&code), "%s", script);
	if (strstr(script, "copyout") ? may_write : may_load) {
		program = bpf_load(code.instructions, code.count,
			(sleeps ? BPF_SLEEPS : 0) | (with->multi ? BPF_MULTI : 0), &error);
		ck_assert_msg(program >= 0, "%s: %s", script, error.text);
		close(program);
	}
	bpf_code_free(&code);
}

/* Makes the program of each probe, with arguments in registers, constants and memory. */
static void load_all(const char *script)
{
	struct bpf_features without = features;
	struct kernel_operand arguments[KERNEL_ARGUMENTS_MAX];
	struct kernel_site site = {
		.arguments = arguments, .pid = 1234, .argument_count = KERNEL_ARGUMENTS_MAX};
	size_t next;

	without.copy_string = 0;
	without.multi = false;
	without.other_namespace = !strstr(script, "ppid"); /* it is not known there */
	without.namespace_device = 4;
	without.namespace_inode = 5;
	for (unsigned i = 0; i < KERNEL_ARGUMENTS_MAX; i++)
		site.arguments[i] =
			(struct kernel_operand){.kind = (enum kernel_operand_kind)(i % 3),
				.value = -8 * (int)i,
				.base = KERNEL_RBX,
				.index = KERNEL_NO_REGISTER,
				.size = (uint8_t)(1u << i % 4),
				.is_signed = i & 1};
	for (size_t i = 0; i < request.want_count; i = next) {
		struct kernel_plan plan;
		unsigned argument;

		next = source_request_next(&request, i);
		ck_assert_int_eq(
			kernel_plan_make(&plan, &site, &request.wants[i], next - i, &argument), 0);
		ck_assert_int_eq(kernel_clauses_plan(&reduction, &request.wants[i], next - i,
					 &fixture.probes.probes[request.wants[i].probe], &plan),
			0);
		load(&plan, &features, script);
		load(&plan, &without, script);
	}
}

#define ENTRY "vm1234:::method-entry "
#define RETURN "vm1234:::method-return "

static const struct {
	const char *script, *reduced;
} scripts[] = {
	/* functions, keys */
	{ENTRY "{ @ = count(); }", "0"},
	{ENTRY "{ @ = sum(arg3); @a = avg(arg4); @b = min(arg3); @c = max(-arg3); @d = "
	       "stddev(arg3); }",
		"0"},
	{ENTRY "{ @a = quantize(arg3); @b = lquantize(arg3, -10, 1000, 7); "
	       "@c = llquantize(arg3, 10, 0, 6, 20); }",
		"0"},
	{ENTRY "{ @a = quantize(arg3, arg4); @b = lquantize(arg3, 0, 10, 1, -2); "
	       "@c = llquantize(arg3, 2, 3, 40, 2, arg4); }",
		"0"},
	{ENTRY "{ @ = lquantize(arg3, 0, 30000, 1); }",
		""}, /* more buckets than there is room for */
	{ENTRY "{ @[copyinstr(arg0)] = count(); }", "0"},
	{ENTRY "{ @[copyinstr(arg0), copyinstr(arg1), copyinstr(arg2), arg3] = max(arg4); }", "0"},
	{ENTRY "{ @[probefunc, probename, \"x\", pid, tid, cpu, (char)arg3] = quantize(arg3); }",
		"0"},
	{ENTRY "{ @[arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7] = count(); }", "0"},
	{ENTRY "{ @[copyinstr(arg0, 10)] = count(); @b[copyinstr(arg1, 256)] = sum(1); }", "0"},
	{ENTRY "{ @[stringof(copyinstr(arg0))] = count(); @b[execname] = count(); }", "0"},
	{ENTRY "{ @[ustack()] = count(); }", "0"},
	{ENTRY "{ @[ustack(3), copyinstr(arg1), execname, ustack(127)] = quantize(arg3, arg4); }",
		"0"},
	{ENTRY "{ self->t = timestamp; } " RETURN
	       "/self->t/ { @[ustack(), tid] = stddev(timestamp - self->t); self->t = 0; }",
		"0 1"},
	{ENTRY "{ @[copyinstr(arg0), copyinstr(arg1), ustack()] = count(); @b = sum(arg3); } " ENTRY
	       "/arg3 == 7/ { trace(arg4); } tick-1s { trunc(@); }",
		"0"},
	{ENTRY "{ @[ustack(128)] = count(); }", ""},
	{ENTRY "/arg3 > 4/ { @[arg3 > 9 ? 1 : 2] = count(); @b[3] = sum(ustackdepth); }", ""},
	{ENTRY "{ @[stack()] = count(); }", ""},
	{ENTRY "{ @[strjoin(copyinstr(arg0), copyinstr(arg1))] = count(); }", ""},
	{ENTRY "{ @[execname, uid, gid, copyinstr(arg0)] = count(); @b[execname] = max(arg3); }",
		"0"},
	{ENTRY "{ @[execname, execname, execname] = count(); }", ""},
	{ENTRY "/execname == \"python3\" || \"x\" == execname/ { @ = count(); }", "0"},
	{ENTRY "{ @[copyinstr(arg0, arg3), copyinstr(arg1, arg4 + 1)] = count(); }", "0"},
	{ENTRY "/copyinstr(arg0, arg3) == \"Main\"/ { @ = count(); }", "0"},
	/* arithmetic */
	{ENTRY "{ @[arg3 / arg4, arg3 % arg4, -arg3, ~arg4, !arg3] = sum(arg3 << 3 >> (arg4 & 7)); "
	       "}",
		"0"},
	{ENTRY "{ @[(uint64_t)arg3 / (uint64_t)arg4] = sum((int8_t)arg3 ^ (uint16_t)arg4 | 5); }",
		"0"},
	{ENTRY "{ @[arg3 > 4 ? arg3 : arg4 == 3 ? 7 : 8] = count(); }", "0"},
	{ENTRY "{ @[arg3 > 4 ? \"a\" : \"b\"] = count(); }", ""},
	{ENTRY "/arg3 > 3 && (arg4 != 5 || arg3 <= 7) ^^ arg4 >= 3/ { @ = count(); }", "0"},
	{ENTRY "/pid == 1234 && tid != 5/ { @[timestamp / 1000000] = count(); }", "0"},
	{ENTRY "{ self->v = vtimestamp; @w[walltimestamp / 1000000000] = count(); } " RETURN
	       "/self->v && vtimestamp > 4/ { @ = quantize(vtimestamp - self->v); self->v = 0; }",
		"0 1"},
	{ENTRY "/vtimestamp > 1000/ { trace(ppid); } " RETURN "/walltimestamp % 2/ { trace(1); }",
		""},
	{ENTRY "/ppid == 7 && curthread != 0/ { @[ppid, errno, ipl, uregs[R_RSP], uregs[R_EIP]] = "
	       "sum(uregs[R_RAX]); }",
		"0"},
	/* memory */
	{ENTRY "{ @ = sum(*(int *)copyin(arg0 + 8, 4)); @b = sum(*(int64_t *)copyin(arg1, 8)); }",
		"0"},
	{ENTRY "{ @ = sum(*(short *)copyin(arg3, arg4)); }", ""},
	{ENTRY "/copyinstr(arg0) == \"Main\" && copyinstr(arg1) != \"run\"/ { @ = count(); }", "0"},
	{ENTRY "/copyinstr(arg0) < \"a longer string than one word\"/ { @ = count(); }", "0"},
	{ENTRY "/copyinstr(arg0) == copyinstr(arg1)/ { @ = count(); }", ""},
	/* variables */
	{ENTRY "{ self->t = timestamp; } " RETURN
	       "/self->t/ { @[copyinstr(arg1)] = quantize(timestamp - self->t); self->t = 0; }",
		"0 1"},
	{ENTRY "{ t[tid] = timestamp; } " RETURN
	       "/t[tid]/ { @ = avg(timestamp - t[tid]); t[tid] = 0; }",
		"0 1"},
	{ENTRY "{ self->n = arg3; self->t[arg3]++; self->n += 2; @ = max(self->t[arg3] + self->n); "
	       "}",
		"0"},
	{ENTRY "{ self->p = arg0; } " RETURN "{ @[copyinstr(self->p)] = count(); }", "0 1"},
	{ENTRY "{ t[arg3] = timestamp; } " RETURN "{ @ = avg(timestamp - t[arg3]); }", ""},
	{ENTRY "{ n++; @ = max(n); }", ""},
	{ENTRY "{ self->s = copyinstr(arg0); } " RETURN "{ @[self->s] = count(); }", ""},
	{ENTRY "{ this->x = arg3 * 2; @ = sum(this->x); @b = max(this->x + 1); }", "0"},
	{ENTRY "{ if (arg3 > 3) { @a = count(); } else { @b = sum(arg4); } }", "0 1 2"},
	{"this int x; " ENTRY "{ @ = sum(this->x); this->x = arg3; }", ""},
	/* what one clause keeps from being carried out, in another */
	{ENTRY "{ @ = count(); } " RETURN "{ trace(arg0); }", "0"},
	{ENTRY "{ @ = count(); trace(arg0); }", ""},
	{ENTRY "{ self->t = 1; } " RETURN "/self->t/ { @ = count(); } " RETURN
	       "{ trace(self->t); }",
		""},
	{ENTRY "{ self->t = 1; @ = count(); } tick-1s { trace(self->t); }", ""},
	{ENTRY "{ this->x = 1; @ = max(this->x); } " ENTRY "{ trace(this->x); }", ""},
	{ENTRY "{ @ = count(); @b = count(); } " RETURN "{ printa(@b); }", ""},
	{ENTRY "{ @ = count(); } " ENTRY "{ @b = count(); } " RETURN "{ clear(@b); }", "0"},
	{ENTRY "{ @ = count(); } ERROR { trunc(@); }", ""},
	{ENTRY "{ @ = count(); } " RETURN "/arg3 == 4/ { exit(0); }", ""},
	{ENTRY "{ @ = count(); } ERROR { exit(1); }", ""},
	{ENTRY "{ @[arg3] = count(); @m[arg3] = min(arg4); } "
	       "tick-1s { printa(@); trunc(@); clear(@m); exit(0); } END { printa(@); }",
		"0"},
	{ENTRY "{ @ = count(); } tick-1s, " RETURN "{ printa(@); }", ""},
	{ENTRY "{ self->spec = speculation(); speculate(self->spec); trace(1); }", ""},
	/* options */
	{"#pragma D option reduce=no\n" ENTRY "{ @ = count(); }", ""},
	{"#pragma D option aggpercpu\n" ENTRY "{ @ = count(); }", ""},
	{"#pragma D option cpu=1\n" ENTRY "{ @ = count(); }", ""},
	{"#pragma D option bufpolicy=fill\n" ENTRY "{ @ = count(); }", ""},
	{"#pragma D option strsize=1000\n" ENTRY "{ @[copyinstr(arg0)] = count(); }", ""},
	{"#pragma D option strsize=7\n" ENTRY "{ @[copyinstr(arg0), copyinstr(arg1)] = count(); }",
		"0"},
	/* writing to the process: with the records of other clauses before or after it */
	{ENTRY "{ copyout(\"after\", arg1, 6); }", "0"},
	{ENTRY "{ copyoutstr(\"after\", arg1, arg2); copyoutstr(copyinstr(arg3), arg1 + 8, arg2); "
	       "}",
		"0"},
	{ENTRY "/copyinstr(arg0) == \"x\"/ { copyout(copyin(arg1, 100), arg3 + 4, arg2 & 63); }",
		"0"},
	{ENTRY "{ this->p = (int *)alloca(16); this->p[0] = 42; *(short *)(this->p + 1) = arg1; "
	       "copyinto(arg3, 4, this->p + 2); this->p[3] = this->p[2] + 1; "
	       "copyout(this->p, arg2, 16); @ = sum(this->p[3]); }",
		"0"},
	{ENTRY "{ self->a = arg0; } " RETURN
	       "/self->a/ { copyoutstr(\"a\", self->a, 257); self->a = 0; }",
		"0 1"},
	{ENTRY "{ trace(copyinstr(arg1)); } " ENTRY "/arg3 > 4/ { copyoutstr(\"a\", arg1, 9); "
	       "@[copyinstr(arg1)] = count(); } " ENTRY "{ @b = sum(arg4); }",
		"1 2"},
	{ENTRY "/arg3 > 4/ { trace(copyinstr(arg1)); ustack(); } " ENTRY
	       "{ copyoutstr(copyinstr(arg2), arg1, 9); }",
		"1"},
	{ENTRY "{ copyoutstr(\"a\", arg1, 9); } " ENTRY "{ trace(copyinstr(arg1)); }", "0"},
	{"#pragma D option reduce=no\n" ENTRY "{ self->a = arg0; } " RETURN
	 "/self->a/ { copyoutstr(\"a\", self->a, 257); } " ENTRY "{ @ = count(); }",
		"0 1"},
	{"#pragma D option strsize=1000\n" ENTRY "{ copyoutstr(\"a\", arg1, 9); }", "0"},
	{ENTRY "{ copyoutstr(\"a\", arg1, 9); } " RETURN "{ exit(0); }", "0"},
	/* predicates of clauses that stay with the engine */
	{ENTRY "/arg3 > 100 && copyinstr(arg0) == \"Main\"/ { trace(copyinstr(arg1)); }", ""},
	{ENTRY "/arg3 \x25 arg4/ { trace(copyinstr(arg1)); } " ENTRY
	       "/arg4/ { stack(); ustack(); }",
		""},
	{ENTRY "/arg3/ { @ = count(); } " ENTRY "/arg4 == tid/ { printf(\"%d\", arg4); }", "0"},
	{ENTRY "/timestamp > 7/ { trace(0); } vm1234::: { @[probename] = count(); }", "1"},
};

START_TEST(test_script)
{
	decide(scripts[_i].script);
	ck_assert_msg(!may_load || !strcmp(reduced(), scripts[_i].reduced),
		"%s: clauses '%s' are reduced, expected '%s'", scripts[_i].script, reduced(),
		scripts[_i].reduced);
	load_all(scripts[_i].script);
}
END_TEST

/* What keeps a clause with copyout() from being carried out. */
static const struct {
	const char *script, *message;
} refusals[] = {
	{ENTRY "{ copyout(\"after\", arg1, 6); }", NULL},
	{ENTRY "{ @ = count(); trace(strjoin(\"a\", execname)); }", NULL},
	{ENTRY "{ copyout(\"after\", arg1, 6); trace(1); }",
		"copyout( ) cannot be carried out while the probe fires: the clause has other "
		"actions, too, which are carried out later: give them a clause of their own"},
	{ENTRY "{ trace(1); }\n" ENTRY "{ copyoutstr(strjoin(\"a\", \"b\"), arg1, 6); }",
		"line 2: copyoutstr( ) cannot be carried out while the probe fires: programs in "
		"the "
		"kernel cannot calculate strjoin( )"},
	{RETURN "{ copyoutstr(strjoin(\"a\", \"b\"), arg1, 6); }\n" ENTRY
		"{ copyoutstr(execname, arg1, 6); }",
		"copyoutstr( ) cannot be carried out while the probe fires: programs in "
		"the "
		"kernel cannot calculate strjoin( )"},
	{ENTRY "{ copyoutstr(execname, arg1, 6); }",
		"copyoutstr( ) cannot be carried out while the probe fires: only a literal "
		"or copyinstr( ) can be copied by copyoutstr( )"},
	{ENTRY "{ copyout((void *)arg0, arg1, 6); }",
		"copyout( ) cannot be carried out while the probe fires: only a literal, or "
		"memory of alloca( ) or copyin( ) in the same clause, can be copied by copyout( )"},
	{ENTRY "{ copyout(copyin(arg0, arg2), arg1, 6); }",
		"copyout( ) cannot be carried out while the probe fires: programs in the "
		"kernel need a constant size, and less than 2048 bytes in all, for copyin( )"},
	{"#pragma D option scratchsize=4096\n" ENTRY
	 "{ copyout(alloca(1024), arg1, 6); copyout(alloca(1018), arg1, 6); }",
		"line 2: copyout( ) cannot be carried out while the probe fires: programs in the "
		"kernel need a constant size, and less than 2048 bytes in all, for alloca( )"},
	{ENTRY "{ this->p = (char *)alloca(8); this->p[arg3] = 1; copyout(this->p, arg1, 8); }",
		"copyout( ) cannot be carried out while the probe fires: programs in the kernel "
		"cannot "
		"calculate an expression of the clause (add)"},
	{ENTRY "{ this->p = (char *)alloca(8); this->p[8] = 1; copyout(this->p, arg1, 8); }",
		"copyout( ) cannot be carried out while the probe fires: memory of alloca( ) and "
		"copyin( ) can be used only within its size and at constant offsets"},
	{ENTRY "{ n++; copyout(\"after\", arg1, n); }",
		"copyout( ) cannot be carried out while the probe fires: programs in the kernel "
		"cannot "
		"keep the variable n"},
	{ENTRY "{ self->a = arg1; } " RETURN "{ copyout(\"after\", self->a, 6); } " RETURN
	       "{ trace(self->a); }",
		"copyout( ) cannot be carried out while the probe fires: the clause uses a "
		"variable that is also used by a clause of another source, or by one that is "
		"carried out later because of its other actions"},
	{"#pragma D option cpu=1\n" ENTRY "{ copyout(\"after\", arg1, 6); }",
		"line 2: copyout( ) cannot be carried out while the probe fires: option cpu is "
		"set, "
		"which is applied later"},
	{"#pragma D option reduce=no\n" ENTRY "{ @ = count(); copyout(\"after\", arg1, 6); }",
		"line 2: copyout( ) cannot be carried out while the probe fires: the clause "
		"also aggregates, which is done later here: give the aggregation a clause of its "
		"own"},
};

START_TEST(test_refusal)
{
	struct error error = {""};
	int result;

	decide(refusals[_i].script);
	if (!may_load)
		return;
	result = kernel_refusal_check(&reduction, &request, &error);
	ck_assert_int_eq(result, refusals[_i].message ? -ENOTSUP : 0);
	ck_assert_str_eq(error.text, refusals[_i].message ? refusals[_i].message : "");
}
END_TEST

/* Many clauses at one probe: as many are carried out as a program may have maps for. */
START_TEST(test_many)
{
	char *script;
	size_t size;
	FILE *file = open_memstream(&script, &size);

	for (unsigned i = 0; i < 50; i++)
		fprintf(file,
			ENTRY "/arg3 > %u/ { @a%u[copyinstr(arg%u), arg3 %% (arg4 + 1)] = "
			      "quantize(arg3); }\n",
			i, i, i % 3);
	ck_assert_int_eq(fclose(file), 0);
	decide(script);
	load_all("many clauses");
	ck_assert(!may_load || (reduction.tally_count >= 20 && reduction.tally_count < 50));
	free(script);
}
END_TEST

/*
 * Which clauses are followed because they read where only their own code knows, or store what such
 * a clause needs; then the variables, those with ~ of which only is known whether they are 0.
 */
static const struct {
	const char *script, *followed;
} follows[] = {
	{ENTRY "{ self->p = arg0; } " RETURN
	       "/self->p/ { trace(copyinstr(self->p)); self->p = 0; }",
		"0 1: p"},
	{"#pragma D option reduce=no\n" ENTRY "{ self->p = arg0; } " RETURN
	 "/self->p/ { trace(copyinstr(self->p)); self->p = 0; }",
		"0 1: p"},
	{ENTRY "{ trace(copyinstr(arg0)); self->p = 1; } " RETURN "{ @ = sum(self->p); }", ""},
	/* no variable: an address that has no other form */
	{ENTRY "{ trace(copyinstr(arg0 + arg1)); }", "0:"},
	{ENTRY "/copyinstr(arg0 ? arg1 : arg2) == \"x\"/ { trace(copyin(arg0, arg3 * 2)); }", "0:"},
	{ENTRY "{ trace(copyinstr(*(uint32_t *)copyin(arg0, 4) + arg3)); }", "0:"},
	{ENTRY "{ trace(copyinstr(pid * 4096)); }", "0:"},
	{ENTRY "{ trace(copyinstr(strlen(execname))); }", ""},
	{ENTRY "{ trace(copyinstr(probename == \"method-entry\" ? arg1 : arg0)); }", "0:"},
	{ENTRY "/probefunc != \"x\" && \"x\" < probeprov/ { trace(copyinstr(arg0 + arg1)); }",
		"0:"},
	/* what belongs to a thread */
	{ENTRY "{ p[tid] = arg0; } " RETURN "{ trace(copyinstr(p[tid])); p[tid] = 0; }", "0 1: p"},
	{ENTRY "{ self->p[arg3, pid] = arg0; } " RETURN "{ trace(copyinstr(self->p[1, pid])); }",
		"0 1: p"},
	{ENTRY "{ p[arg3] = arg0; } " RETURN "{ trace(copyinstr(p[arg3])); }", ""},
	{ENTRY "{ self->p[\"x\"] = arg0; } " RETURN "{ trace(copyinstr(self->p[\"x\"])); }", ""},
	{ENTRY "{ p = arg0; } " RETURN "{ trace(copyinstr(p)); }", ""},
	{ENTRY "{ self->s = copyinstr(arg0); self->p = arg1; } " RETURN
	       "/self->s == \"x\"/ { trace(copyinstr(self->p)); }",
		"0 1: p"},
	/* how much, and what lies there */
	{ENTRY "{ self->p = arg0; self->n = arg3; self->m = arg4; } " RETURN
	       "{ tracemem(copyin(self->p, self->n), 16); trace(copyinstr(self->p, self->n + 1)); "
	       "trace(stringof(copyin(self->p + 8, arg3))); }",
		"0 1: p n"},
	{ENTRY "{ self->p = arg0; } " RETURN
	       "{ trace(copyinstr(*(uint64_t *)copyin(self->p, 8))); trace(copyinstr(*(uint64_t "
	       "*)copyin(self->p + 8, 8) + *(int *)copyin(self->p, 4))); self->p = 0; }",
		"0 1: p"},
	{ENTRY "{ self->p = arg0; } " RETURN "{ trace(copyin(self->p, strlen(execname))); }", ""},
	/* what else clauses do */
	{ENTRY "{ self->p = arg0; self->t = timestamp; @ = count(); } " RETURN
	       "/self->t/ { printf(\"%d %s\", timestamp - self->t, copyinstr(self->p)); "
	       "self->t = 0; self->p = 0; } " RETURN "{ self->n = arg3; }",
		"0 1: p t~"},
	{ENTRY "{ self->p = arg0; self->t = timestamp; } " RETURN
	       "/timestamp - self->t > 5/ { trace(copyinstr(self->p)); } " RETURN
	       "{ self->p = 0; }",
		"0 1 2: p t~"},
	{ENTRY "{ self->p = arg0; self->t = timestamp; } " RETURN
	       "/timestamp - self->t > 5/ { trace(copyinstr(self->p)); self->p = 0; }",
		""},
	{ENTRY "{ self->p = timestamp; } " RETURN "{ trace(copyinstr(self->p)); }", ""},
	{ENTRY "/execname == \"x\" && strstr(execname, \"y\") != NULL/ { self->p = arg0; } " RETURN
	       "{ trace(copyinstr(self->p)); }",
		""},
	{ENTRY "{ this->a = arg0; this->b = arg1; } " ENTRY "{ trace(copyinstr(this->a)); }",
		"0 1: a"},
	{"this uint64_t a; " ENTRY "{ trace(copyinstr(this->a)); this->a = arg0; }", ""},
	{ENTRY "{ self->p = arg0; self->s = speculation(); } " RETURN
	       "{ speculate(self->s); trace(copyinstr(self->p)); }",
		"0 1: p"},
	{ENTRY "{ self->p = arg0; self->s = speculation(); } " RETURN
	       "{ speculate(self->s); trace(copyinstr(self->p)); self->p = 0; }",
		""},
	/* stores that programs do not see */
	{"BEGIN { self->p = 1; } " ENTRY "{ self->p = arg0; } " RETURN
	 "{ trace(copyinstr(self->p)); }",
		""},
	{ENTRY "{ self->p = arg0; } ERROR { self->p = 0; } " RETURN
	       "{ trace(copyinstr(self->p)); }",
		""},
	{ENTRY "{ self->p = arg0; } ERROR { trace(self->p); } " RETURN
	       "{ trace(copyinstr(self->p)); }",
		"0 2: p"},
	{"#pragma D option cpu=1\n" ENTRY "{ self->p = arg0; } " RETURN
	 "{ trace(copyinstr(self->p)); }",
		""},
	/* beside clauses that programs carry out */
	{ENTRY "{ self->p = arg0; self->n = arg3; } " RETURN
	       "/self->n/ { trace(copyinstr(self->p)); } " ENTRY "{ self->t = timestamp; } " RETURN
	       "/self->t/ { @[copyinstr(arg1)] = quantize(timestamp - self->t); }",
		"0 1: p n"},
	{ENTRY "{ self->p = arg0; } " RETURN
	       "/self->p/ { trace(copyinstr(self->p)); @[copyinstr(self->p)] = count(); ustack(); "
	       "stack(); } " RETURN "{ copyoutstr(\"x\", arg1, 8); }",
		"0 1: p"},
};

static const char *followed(void)
{
	static char text[256];
	bool is_any = false;

	*text = '\0';
	for (size_t i = 0; i < fixture.program->clause_count && reduction.followed; i++)
		if (reduction.followed[i]) {
			sprintf(text + strlen(text), *text ? " %zu" : "%zu", i);
			is_any = true;
		}
	if (is_any)
		strcat(text, ":");
	for (size_t i = 0; i < reduction.variable_count; i++)
		if (reduction.variables[i].is_followed)
			sprintf(text + strlen(text), " %s%s", fixture.program->variables[i].name,
				reduction.variables[i].is_rough ? "~" : "");
	return text;
}

START_TEST(test_follow)
{
	decide(follows[_i].script);
	ck_assert_msg(!may_load || !strcmp(followed(), follows[_i].followed),
		"%s: '%s' are followed, expected '%s'", follows[_i].script, followed(),
		follows[_i].followed);
	load_all(follows[_i].script);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_checked_fixture(tests, setup, teardown);
	tcase_add_loop_test(tests, test_script, 0, (int)(sizeof(scripts) / sizeof(*scripts)));
	tcase_add_loop_test(tests, test_follow, 0, (int)(sizeof(follows) / sizeof(*follows)));
	tcase_add_test(tests, test_many);
	tcase_add_loop_test(tests, test_refusal, 0, (int)(sizeof(refusals) / sizeof(*refusals)));
	tcase_set_timeout(tests, 60);
}
