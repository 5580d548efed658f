/* capability.c: see capability.h. Each kind of source is one row of a table. Checks and messages
 * are made from the rows, so a new kind needs only its row. */
#include "source/capability.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "source/source.h"

#define BIT(need) (UINT64_C(1) << (need))

static const struct {
	const char *name, *with_article;
	uint64_t provides;    /* what it always provides */
	uint64_t may_provide; /* what it provides only if the machine allows it (is_allowed()) */
} kinds[SOURCE_KINDS] = {
	/* the tracer uses none of the program's CPU time, so vtimestamp is 0 */
	[SOURCE_KIND_NONE] = {"", "",
		BIT(D_NEED_CPU) | BIT(D_NEED_OS_THREAD) | BIT(D_NEED_OWNER) | BIT(D_NEED_CPU_TIME) |
			BIT(D_NEED_PROGRAM_ARGUMENTS) | BIT(D_NEED_PROCESSOR_STATE),
		0},
	[SOURCE_KIND_STREAM] = {"event stream", "an event stream",
		BIT(D_NEED_CPU) | BIT(D_NEED_OS_THREAD) | BIT(D_NEED_OWNER) | BIT(D_NEED_PROCESS) |
			BIT(D_NEED_CPU_TIME) | BIT(D_NEED_GUEST_STACK) |
			BIT(D_NEED_PROGRAM_ARGUMENTS) | BIT(D_NEED_PROCESSOR_STATE),
		0},
	/* some logs provide more: see log_source.c */
	[SOURCE_KIND_LOG] = {"recorded log", "this recorded log", BIT(D_NEED_GUEST_STACK), 0},
	[SOURCE_KIND_KERNEL] = {"kernel", "the kernel source",
		BIT(D_NEED_CPU) | BIT(D_NEED_OS_THREAD) | BIT(D_NEED_OWNER) | BIT(D_NEED_PROCESS) |
			BIT(D_NEED_CPU_TIME) | BIT(D_NEED_CALLER) | BIT(D_NEED_REGISTERS) |
			BIT(D_NEED_ERRNO) | BIT(D_NEED_USER_STACK) | BIT(D_NEED_KERNEL_STACK) |
			BIT(D_NEED_USER_SYMBOLS) | BIT(D_NEED_KERNEL_SYMBOLS) |
			BIT(D_NEED_PROGRAM_ARGUMENTS) | BIT(D_NEED_DIRECTORY) |
			BIT(D_NEED_THREAD_ADDRESS) | BIT(D_NEED_PROCESS_STATE) |
			BIT(D_NEED_THREAD_STATE) | BIT(D_NEED_FILES) | BIT(D_NEED_PROCESSOR_STATE) |
			BIT(D_NEED_KERNEL_VARIABLES),
		BIT(D_NEED_MEMORY)},
};

uint64_t source_kind_provides(enum source_kind kind)
{
	return kinds[kind].provides;
}

/* Lists the sources of this build that can meet the need: "the event stream source"; "" if there is
 * none. */
static void name_sources(enum d_need need, char *text, size_t size)
{
	size_t length = 0;

	*text = '\0';
	for (unsigned i = SOURCE_KIND_STREAM; i < SOURCE_KINDS && length < size; i++) {
		if (!((kinds[i].provides | kinds[i].may_provide) & BIT(need)))
			continue;
		length += (size_t)snprintf(text + length, size - length, "%sthe %s source",
			length ? " or " : "", kinds[i].name);
	}
}

/* Samples can interrupt any code, so their clauses never run in the kernel. */
static bool may_write_at(const struct d_probe *probe)
{
	return strcmp(probe->provider, "profile") != 0;
}

/* Returns true if the program needs something that the machine may refuse (may_provide), and it is
 * allowed here. */
static bool is_allowed(const struct d_program *program, bool (*may_write)(void))
{
	for (size_t i = 0; i < program->clause_count; i++)
		if (program->clauses[i].needs.set & BIT(D_NEED_MEMORY))
			return may_write();
	return false;
}

/* Reports that a source of this kind does not meet a clause's need with a probe's events. */
static int fail(const struct d_need_use *use, const struct d_probe *probe, enum source_kind kind,
	struct error *error)
{
	const char *needs = d_need_text(use->need), *colon = *use->where ? ": " : "";
	char sources[128];

	name_sources(use->need, sources, sizeof(sources));
	if (!*sources)
		return error_set(error, ENOTSUP,
			"%s%s%s needs %s, which no source of this build gives%s", use->where, colon,
			use->name, needs, d_need_instead(use->need));
	if (kinds[kind].may_provide & BIT(use->need) && may_write_at(probe))
		return error_set(error, ENOTSUP,
			"%s%s%s needs %s, which the kernel refuses: it is locked down, or vmtap "
			"lacks CAP_SYS_ADMIN",
			use->where, colon, use->name, needs);
	if (kind == SOURCE_KIND_NONE || kinds[kind].may_provide & BIT(use->need))
		return error_set(error, ENOTSUP,
			"%s%s%s needs %s, which the probe %s does not give", use->where, colon,
			use->name, needs, probe->name);
	return error_set(error, ENOTSUP, "%s%s%s needs %s, which %s does not give: %s could%s",
		use->where, colon, use->name, needs, kinds[kind].with_article, sources,
		use->need == D_NEED_GUEST_STACK && kind == SOURCE_KIND_KERNEL
			? "; ustack() shows the functions of any process"
			: "");
}

static int check_use(const struct d_need_use *use, const struct d_clause *clause,
	const struct d_probe_set *probes, const struct source *source, bool allowed,
	struct error *error)
{
	char sources[128];

	for (size_t i = 0; i < d_clause_probes(clause); i++) {
		const struct d_probe *probe = &probes->probes[clause->probes[i]];
		struct source_capability has = {SOURCE_KIND_NONE, kinds[SOURCE_KIND_NONE].provides};

		if (probe->kind == D_PROBE_SOURCE)
			has = source_capability(source, clause->probes[i]);
		if (allowed && may_write_at(probe))
			has.provides |= kinds[has.kind].may_provide;
		if (!(has.provides & BIT(use->need)))
			return fail(use, probe, has.kind, error);
	}
	/* a clause without probes (option zdefs) must be one that some target could run */
	name_sources(use->need, sources, sizeof(sources));
	return d_clause_probes(clause) || *sources ? 0 : fail(use, NULL, SOURCE_KIND_NONE, error);
}

int source_check_needs(const struct d_program *program, const struct d_probe_set *probes,
	const struct source *source, bool (*may_write)(void), struct error *error)
{
	bool allowed = is_allowed(program, may_write);
	int result = 0;

	for (size_t i = 0; i < program->clause_count && !result; i++) {
		const struct d_clause *clause = &program->clauses[i];

		for (size_t j = 0; j < clause->needs.use_count && !result; j++)
			result = check_use(
				&clause->needs.uses[j], clause, probes, source, allowed, error);
	}
	return result;
}
