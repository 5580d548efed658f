/* timeline_pauses.c: see timeline_private.h. Pauses, collections and their phases. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/export/timeline_private.h"

static uint32_t pauses_of(struct timeline *timeline, struct timeline_cap *cap)
{
	char name[64];

	if (!cap->pauses) {
		if (cap->number == CAP_NONE)
			snprintf(name, sizeof(name), "pauses");
		else
			snprintf(name, sizeof(name), "capability %" PRIu32 ": pauses", cap->number);
		cap->pauses = timeline_add_track(timeline, TIMELINE_PAUSES, cap->number, name);
	}
	return cap->pauses;
}

/* ---- pauses and collections ---- */

static void phase_begins(struct timeline *timeline, struct timeline_cap *cap, uint64_t time,
	enum timeline_role role, const struct timeline_name *name,
	const struct timeline_detail *details, size_t count)
{
	if (cap->depth == DEPTH_MAX)
		return;
	cap->open[cap->depth++] = (uint8_t)role;
	timeline_begin(timeline, pauses_of(timeline, cap), time, name, details, count);
}

/* Ends what began with this role, and what is still open within it; nothing if it is not open. */
static void phase_ends(struct timeline *timeline, struct timeline_cap *cap, uint64_t time,
	enum timeline_role role, const struct timeline_detail *details, size_t count)
{
	unsigned int at = cap->depth;

	while (at && cap->open[at - 1] != role)
		at--;
	while (at && cap->depth >= at) {
		bool is_it = cap->depth == at;
		timeline_end(
			timeline, cap->pauses, time, is_it ? details : NULL, is_it ? count : 0);
		cap->depth--;
	}
}

static void constant_phase(struct timeline *timeline, struct timeline_cap *cap, uint64_t time,
	enum timeline_role role, enum timeline_constant which)
{
	struct timeline_name name = timeline_constant(which);

	phase_begins(timeline, cap, time, role, &name, NULL, 0);
}

static void pause_begins(struct timeline *timeline, struct timeline_cap *cap,
	const struct event_batch *batch, const struct event *event)
{
	struct timeline_name reason = timeline_text(batch, event, 1), name;
	char text[LABEL_MAX + 16];

	snprintf(text, sizeof(text), "pause: %.*s", LABEL_MAX, reason.text);
	name = (struct timeline_name){0, text, (uint32_t)strlen(text)};
	phase_begins(timeline, cap, event->time, ROLE_PAUSE_BEGIN, &name, NULL, 0);
}

static void collection_begins(struct timeline *timeline, struct timeline_cap *cap,
	const struct event_batch *batch, const struct event *event)
{
	struct timeline_name name =
		timeline_constant(feed_number(event, 2) ? NAME_GC_FULL : NAME_GC);
	struct timeline_name cause = timeline_text(batch, event, 4);
	struct timeline_detail details[3] = {
		number_detail("generation", (uint32_t)feed_number(event, 1)),
		number_detail("bytes in use", feed_number(event, 3)),
		{"cause", 0, cause.text, cause.length}};

	cap->knows_used = event->argument_count > 3;
	cap->used = feed_number(event, 3);
	/* newer versions of the probe have appended arguments */
	phase_begins(timeline, cap, event->time, ROLE_GC_START, &name, details,
		1u + cap->knows_used + (cause.length > 0));
	if (cap->knows_used)
		timeline_count(timeline, COUNTER_USED, event->time, cap->used);
}

static void collection_ends(
	struct timeline *timeline, struct timeline_cap *cap, const struct event *event)
{
	struct timeline_detail detail = number_detail("bytes freed", feed_number(event, 3));
	bool knows = event->argument_count > 3;

	phase_ends(timeline, cap, event->time, ROLE_GC_START, &detail, knows);
	if (knows && cap->knows_used)
		timeline_count(timeline, COUNTER_USED, event->time,
			cap->used > detail.number ? cap->used - detail.number : 0);
	cap->knows_used = false;
}

/* Phases while guest code runs may outlive the collection, so they have a track of their own. */
static void concurrent_phase(struct timeline *timeline, struct timeline_cap *cap, uint64_t time,
	const struct timeline_name *name)
{
	char text[64];

	if (!cap->concurrent) {
		if (cap->number == CAP_NONE)
			snprintf(text, sizeof(text), "concurrent phases");
		else
			snprintf(text, sizeof(text), "capability %" PRIu32 ": concurrent phases",
				cap->number);
		cap->concurrent = timeline_add_track(timeline, TIMELINE_PAUSES, cap->number, text);
	}
	if (name) {
		timeline_begin(timeline, cap->concurrent, time, name, NULL, 0);
		cap->concurrent_depth++;
	} else if (cap->concurrent_depth) {
		timeline_end(timeline, cap->concurrent, time, NULL, 0);
		cap->concurrent_depth--;
	}
}

void timeline_take_phase(struct timeline *timeline, struct timeline_cap *cap,
	enum timeline_role role, const struct event_batch *batch, const struct event *event)
{
	struct timeline_name name;
	uint64_t time = event->time;

	switch (role) {
	case ROLE_PAUSE_BEGIN:
		pause_begins(timeline, cap, batch, event);
		break;
	case ROLE_PHASE_BEGIN:
		name = timeline_text(batch, event, 1);
		if (feed_number(event, 2))
			concurrent_phase(timeline, cap, time, &name);
		else
			phase_begins(timeline, cap, time, role, &name, NULL, 0);
		break;
	case ROLE_PHASE_END:
		if (feed_number(event, 2))
			concurrent_phase(timeline, cap, time, NULL);
		else
			phase_ends(timeline, cap, time, ROLE_PHASE_BEGIN, NULL, 0);
		break;
	case ROLE_PAUSE_END:
		phase_ends(timeline, cap, time, ROLE_PAUSE_BEGIN, NULL, 0);
		break;
	case ROLE_GC_REQUEST:
		name = timeline_constant(NAME_GC_REQUEST);
		timeline_instant(timeline, pauses_of(timeline, cap), time, &name, NULL, 0);
		break;
	case ROLE_GC_START:
		collection_begins(timeline, cap, batch, event);
		break;
	case ROLE_GC_END:
		collection_ends(timeline, cap, event);
		break;
	case ROLE_GC_WORK:
	case ROLE_GC_IDLE:
	case ROLE_GC_DONE:
		phase_ends(timeline, cap, time, ROLE_GC_WORK, NULL, 0);
		phase_ends(timeline, cap, time, ROLE_GC_IDLE, NULL, 0);
		if (role != ROLE_GC_DONE)
			constant_phase(timeline, cap, time, role,
				role == ROLE_GC_WORK ? NAME_GC_WORK : NAME_GC_IDLE);
		break;
	case ROLE_MARK_BEGIN:
		constant_phase(timeline, cap, time, role, NAME_MARK);
		break;
	case ROLE_MARK_END:
		phase_ends(timeline, cap, time, ROLE_MARK_BEGIN, NULL, 0);
		break;
	case ROLE_SWEEP_BEGIN:
		constant_phase(timeline, cap, time, role, NAME_SWEEP);
		break;
	default:
		phase_ends(timeline, cap, time, ROLE_SWEEP_BEGIN, NULL, 0);
	}
}
