/*
 * bpf_features.c: see bpf_features.h. Each question is a small program that is loaded, or attached
 * to nothing, and closed again. Nothing here may stay attached, or change what other tracers see.
 */
#include "kernel/bpf/bpf_features.h"

#include <errno.h>
#include <unistd.h>

#include "base/debug.h"
#include "base/error.h"
#include "kernel/bpf/bpf_code.h"
#include "kernel/bpf/bpf_namespace.h"
#include "kernel/bpf/btf_lookup.h"

/* The shortest program. */
static const struct bpf_insn returns_zero[] = {
	{.code = BPF_ALU64 | BPF_MOV | BPF_K}, {.code = BPF_JMP | BPF_EXIT}};

void bpf_find_copy_string(struct bpf_features *features)
{
	struct kernel_btf_query query = {
		.kind = KERNEL_BTF_FUNCTION, .name = "bpf_copy_from_user_str"};

	kernel_btf_find(&query, 1);
	features->copy_string = query.is_found ? query.result : 0;
}

/* Returns whether a program at a tracepoint may call them. */
static bool may_find_tasks(uint32_t find, uint32_t release, const struct bpf_function *tracepoint)
{
	struct bpf_code code;
	uint32_t none;
	int program;

	bpf_code_begin(&code);
	none = bpf_label(&code);
	bpf_set(&code, BPF_REG_1, 1);
	bpf_call_kernel(&code, find);
	bpf_jump_if_value(&code, BPF_JEQ, BPF_REG_0, 0, none);
	bpf_move(&code, BPF_REG_1, BPF_REG_0);
	bpf_call_kernel(&code, release);
	bpf_place(&code, none);
	bpf_set(&code, BPF_REG_0, 0);
	bpf_exit(&code);
	program = bpf_code_end(&code) ? -EINVAL
				      : bpf_try_load(code.instructions, code.count, 0, tracepoint);
	bpf_code_free(&code);
	if (program >= 0)
		close(program);
	return program >= 0;
}

void bpf_find_tasks(struct bpf_features *features, const struct bpf_function *tracepoint)
{
	enum { BY_OWN_NUMBER, BY_NUMBER, RELEASE, COUNT };
	struct kernel_btf_query queries[COUNT] = {
		[BY_OWN_NUMBER] = {.kind = KERNEL_BTF_FUNCTION, .name = "bpf_task_from_vpid"},
		[BY_NUMBER] = {.kind = KERNEL_BTF_FUNCTION, .name = "bpf_task_from_pid"},
		[RELEASE] = {.kind = KERNEL_BTF_FUNCTION, .name = "bpf_task_release"}};

	kernel_btf_find(queries, COUNT);
	features->find_task = features->release_task = 0;
	for (unsigned i = BY_OWN_NUMBER; i < RELEASE && !features->find_task; i++) {
		if (!queries[i].is_found || !queries[RELEASE].is_found ||
			!may_find_tasks(queries[i].result, queries[RELEASE].result, tracepoint))
			continue;
		features->find_task = queries[i].result;
		features->release_task = queries[RELEASE].result;
	}
	debug_say(DEBUG_KERNEL, "programs at tracepoints %s find a thread by its number",
		features->find_task ? "can" : "cannot");
}

/* A program for several sites loads everywhere where attaching it might work. Attaching it to
 * nothing distinguishes the kernels that know such links (no such file) from the others. */
static bool has_multi(void)
{
	const uint64_t offset = 0;
	const struct bpf_sites sites = {.path = "/", .offsets = &offset, .count = 1};
	int program = bpf_try_load(returns_zero, 2, BPF_MULTI, NULL), link;

	if (program < 0)
		return false;
	link = bpf_attach_sites(program, &sites);
	if (link >= 0)
		close(link);
	close(program);
	return link == -EBADF || link == -ENOENT || link == -EISDIR;
}

int bpf_features(struct bpf_features *features, struct error *error)
{
	int program = bpf_load(returns_zero, 2, 0, error);

	*features = (struct bpf_features){0};
	if (program < 0)
		return program;
	close(program);
	features->multi = has_multi();
	bpf_namespace_find(features);
	return 0;
}

bool bpf_may_write(void)
{
	struct bpf_code code;
	int program = -ENOMEM;

	bpf_code_begin(&code);
	bpf_set(&code, BPF_REG_1, 0);
	bpf_write_value(&code, BPF_REG_10, -8, 0, 8);
	bpf_move(&code, BPF_REG_2, BPF_REG_10);
	bpf_operate_value(&code, BPF_ADD, BPF_REG_2, -8);
	bpf_set(&code, BPF_REG_3, 8);
	bpf_call(&code, BPF_FUNC_probe_write_user);
	bpf_set(&code, BPF_REG_0, 0);
	bpf_exit(&code);
	if (!bpf_code_end(&code))
		program = bpf_try_load(code.instructions, code.count, 0, NULL);
	bpf_code_free(&code);
	if (program >= 0)
		close(program);
	return program >= 0;
}

int bpf_try_function(const struct bpf_function *function, struct error *error)
{
	int program = bpf_load_function(returns_zero, 2, function, error);

	if (program >= 0)
		close(program);
	return program < 0 ? program : 0;
}

/* ---- what is done on older kernels ---- */

unsigned bpf_uprobe_flags(const struct bpf_features *features)
{
	return features->multi ? BPF_MULTI : 0;
}

int bpf_attach_one(const struct bpf_features *features, int program, const struct bpf_sites *sites)
{
	return features->multi ? bpf_attach_sites(program, sites)
			       : bpf_attach_site(program, sites, 0);
}
