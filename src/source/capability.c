/* capability.c: see capability.h. */
#include "source/capability.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#define BIT(need) (UINT64_C(1) << (need))

static const struct {
	const char *name, *with_article;
	uint64_t always, perhaps; /* perhaps: some targets of this kind have it */
} kinds[SOURCE_KINDS] = {
	[SOURCE_KIND_NONE] = {"", "a run without a target",
		BIT(D_NEED_CPU) | BIT(D_NEED_OS_THREAD) | BIT(D_NEED_OWNER) |
			BIT(D_NEED_PROGRAM_ARGUMENTS),
		0},
	[SOURCE_KIND_STREAM] = {"event stream", "an event stream",
		BIT(D_NEED_CPU) | BIT(D_NEED_OS_THREAD) | BIT(D_NEED_OWNER) | BIT(D_NEED_PROCESS) |
			BIT(D_NEED_CPU_TIME) | BIT(D_NEED_PROGRAM_ARGUMENTS),
		0},
	[SOURCE_KIND_LOG] = {"recorded log", "this recorded log", 0,
		BIT(D_NEED_CPU) | BIT(D_NEED_OS_THREAD) | BIT(D_NEED_CPU_TIME) |
			BIT(D_NEED_PROGRAM_ARGUMENTS)},
	[SOURCE_KIND_KERNEL] = {"kernel", "the kernel", ~UINT64_C(0), 0},
};

uint64_t source_capabilities(enum source_kind kind)
{
	return kinds[kind].always;
}

/* "the event stream and the kernel source can" */
static void name_sources(enum source_kind kind, enum d_need need, char *text, size_t size)
{
	unsigned count = 0, named = 0, length = 0;

	/* what a run without a target has it has of vmtap itself */
	for (unsigned i = SOURCE_KIND_STREAM; i < SOURCE_KINDS; i++)
		count += i != kind && (kinds[i].always & BIT(need));
	*text = '\0';
	for (unsigned i = SOURCE_KIND_STREAM; i < SOURCE_KINDS && length < size; i++) {
		if (i == kind || !(kinds[i].always & BIT(need)))
			continue;
		length += (unsigned)snprintf(text + length, size - length, "%sthe %s source",
			!named                      ? ""
				: named + 1 < count ? ", "
						    : " or ",
			kinds[i].name);
		named++;
	}
}

int source_check_needs(
	const struct d_needs *needs, enum source_kind kind, uint64_t provides, struct error *error)
{
	char sources[128];

	if (!(needs->set & ~provides))
		return 0;
	for (size_t i = 0; i < needs->use_count; i++) {
		const struct d_need_use *use = &needs->uses[i];

		if (provides & BIT(use->need))
			continue;
		name_sources(kind, use->need, sources, sizeof(sources));
		return error_set(error, ENOTSUP,
			"%s%s%s needs %s, which %s does not give: %s could", use->where,
			*use->where ? ": " : "", use->name, d_need_text(use->need),
			kinds[kind].with_article, sources);
	}
	return 0;
}
