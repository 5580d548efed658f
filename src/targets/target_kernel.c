/*
 * target_kernel.c: see target_kernel.h. What the kernel refuses is an error only if nothing else
 * delivers what is described; otherwise a line says what is not traced.
 */
#include "targets/target_kernel.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/pattern.h"
#include "kernel/process/process_source.h"
#include "program/probe.h"
#include "targets/kernel_need.h"
#include "targets/target_kinds.h"

bool target_is_matched(const struct d_probe_set *set, size_t first, const struct d_asked *asked)
{
	for (size_t i = first; i < set->count; i++) {
		const struct d_probe *probe = &set->probes[i];

		if (probe->kind == D_PROBE_SOURCE && !probe->is_absent &&
			pattern_match(asked->name, probe->name) &&
			pattern_match(asked->provider, probe->provider) &&
			d_probe_matches_function(probe, asked->function) &&
			d_probe_matches_module(probe, asked->module))
			return true;
	}
	return false;
}

bool target_lacks(
	const struct targets *targets, const struct d_probe_set *set, const struct d_asked *asked)
{
	if (target_is_matched(set, 0, asked))
		return false;
	for (size_t i = 0; i < targets->asked_count && asked->is_optional; i++)
		if (targets->asked[i].is_optional && target_is_matched(set, 0, &targets->asked[i]))
			return false;
	return true;
}

/* Returns whether the description is of a probe that the stream knows, and that the target cannot
 * fire. */
static bool is_siteless(const struct d_probe_set *set, const struct d_asked *asked)
{
	for (size_t i = 0; i < set->count; i++) {
		const struct d_probe *probe = &set->probes[i];

		if (probe->is_siteless && pattern_match(asked->name, probe->name) &&
			pattern_match(asked->provider, probe->provider))
			return true;
	}
	return false;
}

bool target_wants_kernel(
	const struct targets *targets, const struct target *target, const struct d_probe_set *set)
{
	if (!target_is_process(target) || target_process_is_held(&target->process) ||
		targets->spec->via == TARGET_VIA_STREAM)
		return false;
	if (targets->spec->via == TARGET_VIA_KERNEL || *target->missing.text || targets->lists_all)
		return true;
	for (size_t i = 0; i < targets->asked_count; i++)
		if (target_lacks(targets, set, &targets->asked[i]))
			return true;
	return kernel_need_beside(targets, target->process.pid, set);
}

void target_tell_stream_only(
	const struct targets *targets, const struct d_asked *asked, const struct error *reason)
{
	target_tell(targets, "%s:%s:%s:%s: only the event stream's probes are traced, since %s",
		asked->provider, asked->module, asked->function, asked->name, reason->text);
}

/* Says why the first description that the target's stream does not satisfy gets no probes. */
static void tell_refusal(const struct targets *targets, const struct target *target,
	const struct d_probe_set *set, const struct error *reason)
{
	const struct d_asked *beside;

	for (size_t i = 0; i < targets->asked_count; i++) {
		const struct d_asked *asked = &targets->asked[i];

		if (!target_lacks(targets, set, asked) || is_siteless(set, asked))
			continue;
		target_tell(targets,
			"%s:%s:%s:%s: the event stream of process %u has no such probe, and %s",
			asked->provider, asked->module, asked->function, asked->name,
			(unsigned int)target->process.pid, reason->text);
		return;
	}
	beside = kernel_need_beside(targets, target->process.pid, set);
	if (beside)
		target_tell_stream_only(targets, beside, reason);
}

/* Returns whether any probe of the set from this one on is described, or may be by its number. */
static bool is_of_use(const struct targets *targets, const struct d_probe_set *set, size_t first)
{
	for (size_t i = 0; i < targets->asked_count; i++)
		if (target_is_matched(set, first, &targets->asked[i]))
			return true;
	return !targets->asked_count;
}

bool target_names_provider(
	const struct targets *targets, const struct d_probe_set *set, size_t first)
{
	for (size_t i = 0; i < targets->asked_count; i++)
		for (size_t j = first; j < set->count; j++)
			if (!strcmp(targets->asked[i].provider, set->probes[j].provider))
				return true;
	return false;
}

int target_add_to_kernel(struct targets *targets, const struct target *target,
	struct d_probe_set *set, struct error *error)
{
	int result = 0;

	if (!targets->kernel) {
		targets->kernel_first = set->count;
		result = source_kernel_new(set, KERNEL_SCOPE_NAMED, targets->asked,
			targets->asked_count, &targets->kernel, error);
	}
	return result ? result
		      : source_kernel_add(targets->kernel, target->process.pid,
				(target_is_started(target) ? SOURCE_KERNEL_OURS : 0) |
					(*target->path ? SOURCE_KERNEL_HAS_STREAM : 0) |
					(targets->may_miss ? SOURCE_KERNEL_MAY_MISS : 0),
				error);
}

int target_refuse(const struct d_asked *asked, struct error *error)
{
	struct error reason = *error;

	return error_set(error, EPERM, "%s:%s:%s:%s: %.800s", asked->provider, asked->module,
		asked->function, asked->name, reason.text);
}

/* Returns whether a script describes functions of the target, which no event stream can deliver. */
static bool names_function(const struct targets *targets, const struct target *target)
{
	char provider[24];
	bool found = false;

	snprintf(provider, sizeof(provider), "pid%" PRIu32, target->process.pid);
	for (size_t i = 0; i < targets->asked_count && !found; i++)
		found = !strcmp(targets->asked[i].provider, provider);
	return found;
}

int target_open_kernel(struct targets *targets, struct target *target, struct d_probe_set *set,
	struct error *error)
{
	size_t before = set->count;
	const struct d_asked *need;
	bool is_useful;
	int result = target_add_to_kernel(targets, target, set, error);

	/* a command that has ended meanwhile: the compiler says what matches nothing */
	if ((result == -ENODATA || result == -ESRCH) && target_is_started(target) &&
		targets->asked_count) {
		d_probe_set_cut(set, before);
		return 0;
	}
	need = result == -EPERM ? kernel_need_first(targets, set) : NULL;
	if (need && (targets->spec->via == TARGET_VIA_KERNEL || *target->missing.text))
		target_refuse(need, error);
	if (result &&
		(targets->spec->via == TARGET_VIA_KERNEL ||
			(result != -EPERM && result != -ENOTSUP && !targets->may_miss &&
				names_function(targets, target))))
		return result;
	if ((result == -EPERM || result == -ENOTSUP) && *target->missing.text) {
		struct error missing = target->missing;
		error_set(&target->missing, -result, "%.400s; %.500s", missing.text, error->text);
	} else if (result == -EPERM || result == -ENOTSUP) {
		tell_refusal(targets, target, set, error);
	}
	is_useful = targets->spec->via == TARGET_VIA_KERNEL ||
		(set->count > before && is_of_use(targets, set, before));
	/* A provider of the target is named: the compiler says what was meant. */
	if (!result && targets->count == 1 && target_names_provider(targets, set, before))
		is_useful = true;
	/* The compiler does so, too, if there is no stream, by the probes that the target has or
	 * lacks. */
	if (!result && !is_useful && !targets->may_miss &&
		!(targets->count == 1 && *target->missing.text)) {
		source_kernel_remove_last(targets->kernel);
		result = -ENOENT;
	}
	if (result)
		d_probe_set_cut(set, before);
	else if (is_useful)
		*target->missing.text = '\0';
	return 0;
}
