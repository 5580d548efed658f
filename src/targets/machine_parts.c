/*
 * machine_parts.c: see machine_parts.h. The kernel's samples are requested first; streams give them
 * if the kernel may not, or if the guest's stack is needed with them.
 */
#include "targets/machine_parts.h"

#include <errno.h>
#include <string.h>

#include "base/pattern.h"
#include "kernel/machine/machine_providers.h"
#include "kernel/machine/machine_source.h"
#include "kernel/machine/profile_source.h"
#include "program/timer_probe.h"
#include "targets/targets_private.h"

static bool is_of_machine(const struct d_asked *asked)
{
	return timer_is_profile(asked) || kernel_providers_are_asked(asked);
}

/*
 * Returns whether only probes of no process are described, so that processes need only be watched.
 */
static bool asks_machine_only(const struct targets *targets)
{
	for (size_t i = 0; i < targets->asked_count; i++)
		if (!is_of_machine(&targets->asked[i]))
			return false;
	return targets->asked_count;
}

/* Returns whether a description is of probes of no process, and not of ticks too. */
static bool asks_machine(const struct targets *targets)
{
	for (size_t i = 0; i < targets->asked_count; i++)
		if (is_of_machine(&targets->asked[i]) &&
			!timer_is_described(&targets->asked[i], TIMER_TICK, timer_ticks))
			return true;
	return false;
}

/*
 * Opens the kernel's source of samples, if any are described. Streams give them instead if they are
 * to be used, if scripts want the guest's stack, which the kernel does not know, or if the kernel
 * refuses: then all->refusal is its reason.
 */
static int open_samples(struct targets *targets, struct d_probe_set *set, struct machine_parts *all)
{
	struct merge_part *part = &all->parts[all->count];
	int result;

	targets->samples_in_streams = targets->spec->via == TARGET_VIA_STREAM ||
		(targets->spec->via != TARGET_VIA_KERNEL && targets->guest_stack);
	if (targets->samples_in_streams)
		return 0;
	part->first = (uint32_t)set->count;
	result = source_profile_open(
		set, targets->asked, targets->asked_count, &part->source, &all->refusal);
	part->end = (uint32_t)set->count;
	all->count += part->source != NULL;
	targets->samples_in_streams = result && targets->spec->via != TARGET_VIA_KERNEL &&
		(targets->count || targets_may_join(targets));
	return targets->samples_in_streams ? 0 : result;
}

/* Sets the reason why nothing takes samples, if it is that scripts want the guest's stack with
 * them. */
static void refuse_stacks(const struct targets *targets, struct error *refusal)
{
	const struct error *missing = targets_missing(targets);
	bool asks = false;

	for (size_t i = 0; i < targets->asked_count; i++)
		asks |= timer_is_profile(&targets->asked[i]) &&
			!timer_is_described(&targets->asked[i], TIMER_TICK, timer_ticks);
	if (asks && targets->guest_stack && targets->samples_in_streams && !*refusal->text)
		error_set(refusal, EPERM,
			"jstack() takes samples from a VM's event stream only%s%s; ustack() shows "
			"the functions of any process",
			missing ? ", and " : "", missing ? missing->text : "");
}

/* Reports that the kernel gives no samples. It is only an error if nothing gives any and nothing
 * else is described; otherwise a line says what is not traced. */
static int tell_no_samples(struct targets *targets, const struct d_probe_set *set,
	const struct error *refusal, struct error *error)
{
	if (!*refusal->text || targets_may_join(targets))
		return 0;
	for (size_t i = 0; i < set->count; i++)
		if (set->probes[i].kind == D_PROBE_SOURCE &&
			!strcmp(set->probes[i].provider, "profile"))
			return 0;
	if (asks_machine_only(targets) && asks_machine(targets))
		return error_set(error, EPERM, "%s", refusal->text);
	target_tell(targets, "provider profile: %s", refusal->text);
	return 0;
}

/* Returns whether a description has the name of a provider of the machine, without wildcards. */
static bool names_machine(const struct targets *targets)
{
	for (size_t i = 0; i < targets->asked_count; i++)
		if (!pattern_is_glob(targets->asked[i].provider) &&
			kernel_providers_are_asked(&targets->asked[i]))
			return true;
	return false;
}

/*
 * Opens the source of the machine's probes, if any are described. Failure is an error only if one
 * of its providers is named, or nothing else is described; otherwise a line says what is not
 * traced.
 */
static int open_machine(struct targets *targets, struct d_probe_set *set, struct machine_parts *all,
	struct error *error)
{
	struct merge_part *part = &all->parts[all->count];
	int result;

	if (targets->spec->via == TARGET_VIA_STREAM)
		return 0;
	part->first = (uint32_t)set->count;
	result = source_machine_open(
		set, targets->asked, targets->asked_count, &part->source, error);
	if (result && !names_machine(targets) &&
		!(asks_machine_only(targets) && asks_machine(targets))) {
		target_tell(targets, "the providers of the kernel: %s", error->text);
		result = 0;
	}
	part->end = (uint32_t)set->count;
	all->count += part->source != NULL;
	return result;
}

/* Adds the parts to a source that can be added to. Takes over those that it has added. */
static int add_each(struct targets *targets, struct machine_parts *all, struct error *error)
{
	size_t number;
	int result = 0;

	while (all->count && !result) {
		result = source_merge_add(
			targets->source, &all->parts[all->count - 1], 0, &number, error);
		all->count -= !result;
		targets->parts += !result;
	}
	return result;
}

/* Adds the parts to the source of the processes, and takes them over. */
static int add_all(struct targets *targets, struct machine_parts *all, size_t first, size_t probes,
	struct error *error)
{
	struct merge_part parts[3];
	struct source *merge;
	size_t count = 0;
	int result;

	if (targets->source && (targets_may_join(targets) || targets->parts > 1))
		return add_each(targets, all, error);
	if (targets->source)
		parts[count++] =
			(struct merge_part){targets->source, (uint32_t)first, (uint32_t)probes};
	for (size_t i = 0; i < all->count; i++)
		parts[count++] = all->parts[i];
	if (count == 1) {
		targets->source = parts[0].source;
	} else {
		result = source_merge_new(parts, count, false, &merge, error);
		if (result)
			return result;
		targets->source = merge;
		targets->parts = count;
	}
	all->count = 0;
	return 0;
}

int machine_parts_open(struct machine_parts *all, struct targets *targets, struct d_probe_set *set,
	struct error *error)
{
	int result;

	*all = (struct machine_parts){.count = 0};
	result = open_samples(targets, set, all);
	if (result) {
		result = tell_no_samples(targets, set, &all->refusal, error);
		*all->refusal.text = '\0';
	}
	return result ? result : open_machine(targets, set, all, error);
}

bool machine_parts_is_all(const struct machine_parts *all, const struct targets *targets)
{
	return all->count && asks_machine_only(targets) && !targets->samples_in_streams;
}

int machine_parts_join(struct machine_parts *all, struct targets *targets,
	const struct d_probe_set *set, size_t first, struct error *error)
{
	int result;

	refuse_stacks(targets, &all->refusal);
	result = tell_no_samples(targets, set, &all->refusal, error);
	return result || !all->count ? result : add_all(targets, all, first, set->count, error);
}

void machine_parts_close(struct machine_parts *all)
{
	while (all->count)
		source_close(all->parts[--all->count].source);
}
