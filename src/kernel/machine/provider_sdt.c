/*
 * provider_sdt.c: see provider_sdt.h. A tracepoint NAME has a typedef btf_trace_NAME, a pointer to
 * a function whose parameters after the first are its arguments. A probe's number is that of the
 * typedef.
 */
#include "kernel/machine/provider_sdt.h"

#include <errno.h>
#include <linux/btf.h>
#include <stdio.h>
#include <string.h>

#include "kernel/machine/provider_row.h"

#define PREFIX "btf_trace_"

enum { TEXT_MAX = 80, NOT_AN_ARGUMENT = 1 };

/* Finds the function that a typedef points to. Returns false if it points to none. */
static bool find_function(struct btf *btf, uint32_t number, struct btf_view *function)
{
	return btf_get(btf, btf_resolve(btf, number), function) && function->kind == BTF_KIND_PTR &&
		btf_get(btf, btf_resolve(btf, function->target), function) &&
		function->kind == BTF_KIND_FUNC_PROTO;
}

static uint32_t count_arguments(const struct btf_view *function)
{
	uint32_t count = function->count < NOT_AN_ARGUMENT ? 0 : function->count - NOT_AN_ARGUMENT;

	return count < KERNEL_ARGUMENTS_MAX ? count : KERNEL_ARGUMENTS_MAX;
}

static int add_tracepoint(void *context, uint32_t number, const char *name)
{
	const struct kernel_provider_request *request = context;
	char provider[] = "sdt", module[] = "vmlinux", none[] = "", own[TEXT_MAX];
	char texts[KERNEL_ARGUMENTS_MAX][2][TEXT_MAX];
	struct d_probe_argument arguments[KERNEL_ARGUMENTS_MAX];
	struct d_probe probe = {.provider = provider,
		.arguments = arguments,
		.module = module,
		.function = none,
		.name = own,
		.kind = D_PROBE_SOURCE,
		.source_tag = request->tag + number};
	struct btf_view function;
	struct btf_field field;

	if (!find_function(request->btf, number, &function) ||
		strlen(name + strlen(PREFIX)) >= sizeof(own))
		return 0;
	snprintf(own, sizeof(own), "%s", name + strlen(PREFIX));
	probe.argument_count = (uint8_t)count_arguments(&function);
	for (uint32_t i = 0; i < probe.argument_count; i++) {
		if (!btf_field(request->btf, &function, i + NOT_AN_ARGUMENT, &field))
			return 0;
		btf_text(request->btf, field.type, texts[i][0], TEXT_MAX);
		snprintf(texts[i][1], TEXT_MAX, "%s", field.name);
		arguments[i] = (struct d_probe_argument){texts[i][0], texts[i][1]};
	}
	return d_probe_set_add(request->set, &probe) < 0 ? -ENOMEM : 0;
}

static int sdt_add(const struct kernel_provider *provider,
	const struct kernel_provider_request *request, void **own)
{
	(void)provider;
	(void)own;
	return btf_each(
		request->btf, BTF_KIND_TYPEDEF, PREFIX, add_tracepoint, (void *)(uintptr_t)request);
}

struct kernel_operand kernel_sdt_argument(struct btf *btf, uint32_t type, uint32_t number)
{
	struct kernel_operand operand = {.kind = KERNEL_OPERAND_CONTEXT,
		.base = (uint16_t)(8 * number),
		.index = KERNEL_NO_REGISTER,
		.size = 8};
	struct btf_view view;

	if (btf_get(btf, btf_resolve(btf, type), &view) &&
		(view.kind == BTF_KIND_INT || view.kind == BTF_KIND_ENUM) && view.size &&
		view.size <= 8 && !(view.size & (view.size - 1))) {
		operand.size = (uint8_t)view.size;
		operand.is_signed = view.is_signed;
	}
	return operand;
}

static int sdt_sites(const struct kernel_provider *provider,
	const struct kernel_provider_probe *probe, void *own, struct kernel_site *sites)
{
	struct kernel_operand *operands =
		arena_get(probe->arena, KERNEL_ARGUMENTS_MAX * sizeof(*operands));
	struct btf *btf = probe->btf;
	struct btf_view function, type;
	struct btf_field field;
	uint32_t count;

	(void)provider;
	(void)own;
	if (!operands)
		return -ENOMEM;
	if (!btf_get(btf, probe->number, &type) || !find_function(btf, probe->number, &function))
		return 0;
	count = count_arguments(&function);
	for (uint32_t i = 0; i < count; i++)
		if (btf_field(btf, &function, i + NOT_AN_ARGUMENT, &field))
			operands[i] = kernel_sdt_argument(btf, field.type, i);
	sites[0] = (struct kernel_site){.probe = probe->probe,
		.is_machine = true,
		.tracepoint = type.name + strlen(PREFIX),
		.argument_count = (uint8_t)count,
		.arguments = operands};
	return 1;
}

const struct kernel_provider kernel_provider_sdt = {
	.name = "sdt", .add = sdt_add, .sites = sdt_sites};
