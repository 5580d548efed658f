/*
 * tracepoint_view.c: see tracepoint_view.h. A row is resolved twice by the same function: when
 * probes are added, to say what the kernel lacks, and when a site is made. find_function() reads
 * /proc/kallsyms, which takes long, so only rows that name a function may call it.
 */
#include "kernel/machine/tracepoint_view.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/btf.h>
#include <stdio.h>
#include <string.h>

#include "kernel/machine/system_call.h"

enum { NAME_MAX_BYTES = 64, REASON_MAX = 160 };

static const struct system_call *find_call(const char *name)
{
	for (size_t i = 0; i < system_call_count; i++)
		if (!strcmp(system_calls[i].name, name))
			return &system_calls[i];
	return NULL;
}

/* ---- values ---- */

/* Finds the address of a function of the kernel. Returns false if there is no such function, or the
 * kernel hides it. */
static bool find_function(const char *name, uint64_t *address)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[512], found[256];
	bool result = false;

	while (file && !result && fgets(line, sizeof(line), file))
		result = sscanf(line, "%" SCNx64 " %*c %255s", address, found) == 2 &&
			!strcmp(found, name) && *address;
	if (file)
		fclose(file);
	return result;
}

/* Resolves a value. Returns 0, or -ENOENT if the kernel has no such member, which is *lacks, or no
 * such function (*lacks NULL). */
static int resolve_value(struct btf *btf, const struct kernel_view_value *value,
	struct kernel_operand *operand, const struct kernel_view_member **lacks)
{
	uint32_t offset = 0;

	memset(operand, 0, sizeof(*operand));
	operand->kind = value->kind;
	operand->value = value->constant;
	operand->base = value->kind == KERNEL_OPERAND_REGISTER ||
			value->kind == KERNEL_OPERAND_TARGET ||
			value->kind == KERNEL_OPERAND_PRIORITY
		? value->argument
		: value->of_thread ? KERNEL_NO_REGISTER
				   : 8 * value->argument;
	operand->index = KERNEL_NO_REGISTER;
	operand->size = value->size ? value->size : 8;
	operand->is_signed = value->is_signed;
	*lacks = &value->member;
	if (value->function && !find_function(value->function, (uint64_t *)&operand->value) &&
		!find_function(value->former, (uint64_t *)&operand->value)) {
		*lacks = NULL;
		return -ENOENT;
	}
	if (value->member.tag &&
		btf_offset(btf, value->member.tag, value->member.member, &offset, NULL))
		return -ENOENT;
	if (value->member.tag)
		operand->value = offset;
	*lacks = &value->inside;
	if (value->inside.tag &&
		btf_offset(btf, value->inside.tag, value->inside.member, &offset, NULL))
		return -ENOENT;
	operand->value += value->inside.tag ? offset : 0;
	*lacks = &value->then;
	if (value->then.tag && btf_offset(btf, value->then.tag, value->then.member, &offset, NULL))
		return -ENOENT;
	operand->then = value->then.tag ? offset + 1 : 0;
	return 0;
}

static int resolve_condition(struct btf *btf, const struct kernel_view_condition *from,
	struct kernel_condition *to, const struct kernel_view_member **lacks)
{
	memset(to, 0, sizeof(*to));
	to->comparison = from->comparison;
	to->mask = from->mask;
	return !from->comparison ||
			(!resolve_value(btf, &from->value, &to->operand, lacks) &&
				!resolve_value(btf, &from->other, &to->other, lacks))
		? 0
		: -ENOENT;
}

static unsigned count_arguments(const struct kernel_view *view)
{
	unsigned count = 0;

	while (count < KERNEL_VIEW_ARGUMENTS && view->arguments[count].type)
		count++;
	return count;
}

/* Resolves all of a row. Returns 0, or -ENOENT with the reason if the kernel lacks something. */
static int resolve_view(struct btf *btf, const struct kernel_view *view,
	struct kernel_operand operands[KERNEL_VIEW_ARGUMENTS],
	struct kernel_condition conditions[KERNEL_CONDITIONS_MAX], char reason[REASON_MAX])
{
	const struct kernel_view_member *lacks = NULL;
	char name[NAME_MAX_BYTES];
	int result = 0;

	if (view->missing) {
		snprintf(reason, REASON_MAX, "%s", view->missing);
		return -ENOENT;
	}
	snprintf(name, sizeof(name), "btf_trace_%s",
		view->tracepoint          ? view->tracepoint
			: view->is_return ? "sys_exit"
					  : "sys_enter");
	if (!btf_find(btf, BTF_KIND_TYPEDEF, name)) {
		snprintf(reason, REASON_MAX, "this kernel describes no tracepoint %s",
			name + strlen("btf_trace_"));
		return -ENOENT;
	}
	if (view->call && !find_call(view->call)) {
		snprintf(reason, REASON_MAX, "there is no system call %s", view->call);
		return -ENOENT;
	}
	for (unsigned i = 0; i < count_arguments(view) && !result; i++)
		result = resolve_value(btf, &view->arguments[i].value, &operands[i], &lacks);
	for (unsigned i = 0; i < KERNEL_CONDITIONS_MAX && !result; i++)
		result = resolve_condition(btf, &view->conditions[i], &conditions[i], &lacks);
	if (result && !lacks)
		snprintf(reason, REASON_MAX,
			"this kernel does not tell where its clock's tick is (/proc/kallsyms)");
	if (result && lacks)
		snprintf(reason, REASON_MAX, "this kernel's struct %s has no member %s", lacks->tag,
			lacks->member);
	return result;
}

/* ---- probes ---- */

/* A probe's strings are copied, but are not const. */
static int add_probe(const struct kernel_provider *provider, uint32_t row, uint32_t tag,
	const char *refusal, struct d_probe_set *set)
{
	const struct kernel_view *view = &provider->views[row];
	char names[3][NAME_MAX_BYTES], module[] = "", note[REASON_MAX];
	char texts[KERNEL_VIEW_ARGUMENTS][2][NAME_MAX_BYTES];
	struct d_probe_argument arguments[KERNEL_VIEW_ARGUMENTS];
	struct d_probe probe = {.provider = names[0],
		.arguments = arguments,
		.module = module,
		.function = names[1],
		.name = names[2],
		.kind = D_PROBE_SOURCE,
		.source_tag = tag + row,
		.is_refused = refusal != NULL,
		.note = refusal || view->note ? note : NULL};

	snprintf(names[0], NAME_MAX_BYTES, "%s", provider->name);
	*names[1] = '\0';
	snprintf(names[2], NAME_MAX_BYTES, "%s", view->name);
	if (probe.note)
		snprintf(note, sizeof(note), "%s", refusal ? refusal : view->note);
	probe.argument_count = (uint8_t)count_arguments(view);
	for (unsigned i = 0; i < probe.argument_count; i++) {
		snprintf(texts[i][0], NAME_MAX_BYTES, "%s", view->arguments[i].type);
		snprintf(texts[i][1], NAME_MAX_BYTES, "%s", view->arguments[i].name);
		arguments[i] = (struct d_probe_argument){texts[i][0], texts[i][1]};
	}
	return d_probe_set_add(set, &probe) < 0 ? -ENOMEM : 0;
}

int kernel_view_add(const struct kernel_provider *provider,
	const struct kernel_provider_request *request, void **own)
{
	struct kernel_operand operands[KERNEL_VIEW_ARGUMENTS];
	struct kernel_condition conditions[KERNEL_CONDITIONS_MAX];
	int result = 0;

	(void)own;
	for (uint32_t row = 0, next; row < provider->view_count && !result; row = next) {
		const struct kernel_view *view = &provider->views[row];
		char reason[REASON_MAX] = "";
		/* the probe fires at several places; without the first, the others would mislead */
		bool fires = !resolve_view(request->btf, view, operands, conditions, reason);

		for (next = row + 1; next < provider->view_count &&
			!strcmp(provider->views[next].name, view->name);
			next++)
			;
		result =
			add_probe(provider, row, request->tag, fires ? NULL : reason, request->set);
	}
	return result;
}

/* ---- sites ---- */

static int make_site(struct btf *btf, const struct kernel_view *view, uint32_t probe,
	struct arena *arena, struct kernel_site *site)
{
	const size_t count = KERNEL_ERRNO_ARGUMENT + 1;
	struct kernel_operand *operands = arena_get(arena, count * sizeof(*operands));
	struct kernel_condition *conditions =
		arena_get(arena, KERNEL_CONDITIONS_MAX * sizeof(*conditions));
	char reason[REASON_MAX];

	if (!operands || !conditions)
		return -ENOMEM;
	if (resolve_view(btf, view, operands, conditions, reason))
		return 0;
	*site = (struct kernel_site){.probe = probe,
		.is_machine = true,
		.is_call = view->call,
		.is_return = view->call && view->is_return,
		.notes = view->notes,
		.call = view->call ? find_call(view->call)->number : 0,
		.tracepoint = view->tracepoint ? view->tracepoint
			: view->is_return      ? "sys_exit"
					       : "sys_enter",
		.conditions = conditions,
		.argument_count = (uint8_t)count_arguments(view),
		.arguments = operands};
	for (unsigned i = site->argument_count; i < count; i++)
		operands[i].kind = KERNEL_OPERAND_NONE;
	if (site->is_return) {
		operands[KERNEL_ERRNO_ARGUMENT] = (struct kernel_operand){
			.kind = KERNEL_OPERAND_ERRNO, .index = KERNEL_NO_REGISTER, .size = 8};
		site->argument_count = KERNEL_ERRNO_ARGUMENT + 1;
	}
	return 1;
}

int kernel_view_sites(const struct kernel_provider *provider,
	const struct kernel_provider_probe *probe, void *own, struct kernel_site *sites)
{
	const char *name = provider->views[probe->number].name;
	int count = 0, result = 0;

	(void)own;
	for (uint32_t row = probe->number;
		row < provider->view_count && !strcmp(provider->views[row].name, name) &&
		result >= 0 && count < KERNEL_PROVIDER_SITES;
		row++) {
		result = make_site(probe->btf, &provider->views[row], probe->probe, probe->arena,
			&sites[count]);
		count += result > 0;
	}
	return result < 0 ? result : count;
}
