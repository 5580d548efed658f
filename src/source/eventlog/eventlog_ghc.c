/*
 * eventlog_ghc.c: logs written by GHC's run-time system (see eventlog_private.h). They
 * describe no probes. The probes of provider HaskellEvent are recognised by the numbers of
 * their event types, which their contract gives (probes/compat/haskell_event.d). Every other
 * type of GHC's is a probe too, under GHC's name for it and with the fields of its payload
 * (wire/event_types.h).
 *
 * Some of these probes have an argument that the event does not carry: the thread that runs
 * on the capability. That is the one that the capability's last RUN_THREAD names.
 *
 * Probes of provider vm are derived from GHC's events that carry enough for them (the table below),
 * so that scripts for any VM run on the log. GHC does not log that a thread enters a run queue, but
 * a thread does so when it is created, woken, or stopped only because its time or space is used up.
 * The world is stopped from the first GC_START of a collection to its last GC_END; which generation
 * it collects is in the statistics after it.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#include "base/bytes.h"
#include "contract/contract.h"
#include "contract/known.h"
#include "source/eventlog/eventlog_private.h"
#include "wire/layout.h"
#include "wire/wire_type.h"

#define GHC_PROVIDER "HaskellEvent"

enum { NAME_GC = 1 /* id of the text "gc": GHC's logs define no names */ };

/* When an event fires a derived probe. */
enum ghc_rule {
	RULE_ALWAYS,
	RULE_FINISHED, /* STOP_THREAD: the thread has ended */
	RULE_QUEUED,   /* STOP_THREAD: the thread goes back to the run queue */
	RULE_BEGINS,   /* GC_START: no capability is collecting yet */
	RULE_ENDS      /* GC_END: no capability is collecting any more */
};

/* An argument of a derived probe that is not one of the event's. */
enum ghc_argument {
	ARGUMENT_ZERO = 240,
	ARGUMENT_ONE,
	ARGUMENT_CAP,        /* the first capability that collects */
	ARGUMENT_GENERATION, /* the oldest generation that is collected, -1: unknown */
	ARGUMENT_FULL,       /* 1 if that is the heap's oldest generation */
	ARGUMENT_GC,         /* "gc" */
	ARGUMENT_END
};

/* The probes of provider vm that an event of GHC's fires, in this order. */
static const struct ghc_derived {
	uint16_t type;
	uint8_t rule;
	const char *name;
	uint8_t arguments[10]; /* indices of the event's arguments, or enum ghc_argument */
} derived[] = {
	{WIRE_CREATE_THREAD, RULE_ALWAYS, "thread-create", {0, 1, ARGUMENT_ZERO, ARGUMENT_END}},
	{WIRE_CREATE_THREAD, RULE_ALWAYS, "thread-runnable", {0, 1, ARGUMENT_END}},
	{WIRE_RUN_THREAD, RULE_ALWAYS, "thread-run", {0, 1, ARGUMENT_END}},
	{WIRE_STOP_THREAD, RULE_ALWAYS, "thread-stop", {0, 1, 2, 3, ARGUMENT_END}},
	{WIRE_STOP_THREAD, RULE_FINISHED, "thread-exit", {0, 1, ARGUMENT_END}},
	{WIRE_STOP_THREAD, RULE_QUEUED, "thread-runnable", {0, 1, ARGUMENT_END}},
	{WIRE_THREAD_RUNNABLE, RULE_ALWAYS, "thread-runnable", {0, 1, ARGUMENT_END}},
	{WIRE_MIGRATE_THREAD, RULE_ALWAYS, "thread-migrate", {0, 1, 2, ARGUMENT_END}},
	{WIRE_THREAD_WAKEUP, RULE_ALWAYS, "thread-wakeup", {0, 1, 2, ARGUMENT_END}},
	{WIRE_THREAD_WAKEUP, RULE_ALWAYS, "thread-runnable", {2, 1, ARGUMENT_END}},
	{WIRE_THREAD_LABEL, RULE_ALWAYS, "thread-label", {0, 1, 2, ARGUMENT_END}},
	{WIRE_GC_START, RULE_BEGINS, "pause-begin", {0, ARGUMENT_GC, ARGUMENT_END}},
	{WIRE_GC_START, RULE_BEGINS, "gc-start",
		{0, ARGUMENT_GENERATION, ARGUMENT_FULL, ARGUMENT_END}},
	{WIRE_GC_END, RULE_ENDS, "gc-end",
		{ARGUMENT_CAP, ARGUMENT_GENERATION, ARGUMENT_FULL, ARGUMENT_END}},
	{WIRE_GC_END, RULE_ENDS, "pause-end", {ARGUMENT_CAP, ARGUMENT_GC, ARGUMENT_END}},
	{WIRE_REQUEST_SEQ_GC, RULE_ALWAYS, "gc-request", {0, ARGUMENT_ZERO, ARGUMENT_END}},
	{WIRE_REQUEST_PAR_GC, RULE_ALWAYS, "gc-request", {0, ARGUMENT_ONE, ARGUMENT_END}},
	{WIRE_GC_IDLE, RULE_ALWAYS, "gc-idle", {0, ARGUMENT_END}},
	{WIRE_GC_WORK, RULE_ALWAYS, "gc-work", {0, ARGUMENT_END}},
	{WIRE_GC_DONE, RULE_ALWAYS, "gc-done", {0, ARGUMENT_END}},
	{WIRE_GC_STATS_GHC, RULE_ALWAYS, "gc-stats", {0, 2, 3, 4, 5, 6, 7, 8, 9, ARGUMENT_END}},
	{WIRE_CREATE_SPARK_THREAD, RULE_ALWAYS, "spark-thread-create", {0, 1, ARGUMENT_END}},
	{WIRE_SPARK_RUN, RULE_ALWAYS, "spark-run", {0, 1, ARGUMENT_END}},
	{WIRE_SPARK_STEAL, RULE_ALWAYS, "spark-steal", {0, 1, 2, ARGUMENT_END}},
	{WIRE_STARTUP, RULE_ALWAYS, "startup", {0, ARGUMENT_END}},
	{WIRE_SHUTDOWN, RULE_ALWAYS, "shutdown", {0, ARGUMENT_END}},
	{WIRE_USER_MSG, RULE_ALWAYS, "user-msg", {0, 1, ARGUMENT_END}},
	{WIRE_USER_MARKER, RULE_ALWAYS, "user-marker", {0, 1, ARGUMENT_END}},
	{WIRE_CAP_CREATE, RULE_ALWAYS, "cap-create", {0, ARGUMENT_END}},
	{WIRE_CAP_DELETE, RULE_ALWAYS, "cap-delete", {0, ARGUMENT_END}},
	{WIRE_CAP_DISABLE, RULE_ALWAYS, "cap-disable", {0, ARGUMENT_END}},
	{WIRE_CAP_ENABLE, RULE_ALWAYS, "cap-enable", {0, ARGUMENT_END}},
	{WIRE_TASK_CREATE, RULE_ALWAYS, "task-create", {1, 0, 2, ARGUMENT_END}},
	{WIRE_TASK_DELETE, RULE_ALWAYS, "task-delete", {0, 1, ARGUMENT_END}},
};

/* Writes an argument's type as a D type, without the contract's typedefs. */
static void put_type(struct describe_argument *argument, const struct contract_argument *known)
{
	if (known->kind == CONTRACT_INTEGER)
		snprintf(argument->type, sizeof(argument->type), "%sint%u_t",
			known->is_signed ? "" : "u", known->size * 8u);
	else
		snprintf(argument->type, sizeof(argument->type), "char *");
	snprintf(argument->name, sizeof(argument->name), "%s", known->name);
	argument->is_signed = known->is_signed;
	argument->size = known->size;
}

/* Appends a field of the payload. Returns false if the declared size has no room for it, or if it
 * is raw bytes. */
static bool put_field(
	struct description *description, const struct plan *plan, const struct layout_field *field)
{
	struct describe_argument *argument = &description->arguments[description->argument_count];
	bool is_number = field->kind == LAYOUT_NUMBER;
	bool has_text = description->text_argument < description->argument_count;

	if (description->argument_count == WIRE_ARGUMENTS_MAX || (is_number && has_text) ||
		(is_number && !plan->is_variable &&
			description->payload + field->size > plan->payload) ||
		(!is_number && (field->kind == LAYOUT_BYTES || !plan->is_variable)))
		return false;
	*argument = (struct describe_argument){.kind = is_number ? DESCRIBE_NUMBER : DESCRIBE_TEXT,
		.size = is_number ? field->size : 0};
	snprintf(argument->name, sizeof(argument->name), "%.47s", field->name);
	if (is_number)
		snprintf(argument->type, sizeof(argument->type), "uint%u_t", field->size * 8u);
	else
		snprintf(argument->type, sizeof(argument->type), "char *");
	if (!is_number && !has_text)
		description->text_argument = description->argument_count;
	else if (!has_text)
		description->text_argument++;
	description->argument_count++;
	description->payload += argument->size;
	return true;
}

/* Appends the fields of the payload from number `from` on. */
static void put_fields(struct description *description, const struct plan *plan, unsigned int from)
{
	struct layout layout;

	layout_make(&layout, plan->type, "");
	for (unsigned int i = from; i < layout.field_count; i++)
		if (!put_field(description, plan, &layout.fields[i]))
			break;
}

/* Describes a type for which the contract has no probe, named after GHC's EVENT_ constant. */
static void describe_type(
	const struct wire_type *type, const struct plan *plan, struct description *description)
{
	struct layout layout;
	size_t length = 0;

	layout_make(&layout, type->number, "");
	*description = (struct description){.argument_count = 0};
	for (; type->name[length] && length + 1 < sizeof(description->name); length++)
		description->name[length] = type->name[length] == '_'
			? '-'
			: (char)tolower((unsigned char)type->name[length]);
	if (layout_find(&layout, "cap") == layout.field_count) {
		description->arguments[0] = (struct describe_argument){
			.type = "uint16_t", .name = "cap", .kind = DESCRIBE_CAP};
		description->argument_count = 1;
	}
	description->text_argument = description->argument_count;
	put_fields(description, plan, 0);
}

/* Fills in the arguments. Returns false if the event does not carry enough for the probe. */
static bool describe_ghc(const struct contract_probe *probe, struct description *description)
{
	const struct contract_eventlog *eventlog = &probe->eventlogs[0];
	unsigned int carried = 0;

	*description = (struct description){
		.argument_count = probe->argument_count, .text_argument = probe->argument_count};
	snprintf(description->name, sizeof(description->name), "%s", probe->name);
	for (unsigned int i = 0; i < probe->argument_count; i++) {
		struct describe_argument *argument = &description->arguments[i];
		bool is_carried =
			carried < eventlog->argument_count && eventlog->arguments[carried] == i;
		put_type(argument, &probe->arguments[i]);
		carried += is_carried;
		if (is_carried && probe->arguments[i].kind == CONTRACT_INTEGER) {
			argument->kind = DESCRIBE_NUMBER;
		} else if (is_carried && probe->arguments[i].string == CONTRACT_STRING_TEXT) {
			argument->kind = DESCRIBE_TEXT;
			argument->size = 0;
			description->text_argument = (uint8_t)i;
		} else if (!is_carried && !i && !strcmp(argument->name, "cap")) {
			argument->kind = DESCRIBE_CAP;
			argument->size = 0;
		} else if (!is_carried && !strcmp(argument->name, "thread")) {
			argument->kind = DESCRIBE_RUNNING;
			argument->size = 0;
		} else {
			return false;
		}
		description->payload += argument->size;
	}
	return true;
}

/* Gives the plan this description. */
static bool plan_ghc(struct eventlog *log, struct plan *plan, const struct description *description)
{
	plan->description = malloc(sizeof(*description));
	if (!plan->description)
		return eventlog_damaged(log, log->scanned, "out of memory");
	*plan->description = *description;
	plan->provider = GHC_PROVIDER;
	eventlog_plan_probe(plan, description);
	return true;
}

static bool plan_contract_probe(
	struct eventlog *log, struct plan *plan, const struct contract_probe *probe)
{
	struct description description;

	/* a type with a different declaration is not GHC's */
	if (plan->role != ROLE_SKIP || !describe_ghc(probe, &description) ||
		plan->payload < description.payload ||
		(description.text_argument < description.argument_count && !plan->is_variable))
		return true;
	/* some types have grown since the contract was written */
	put_fields(&description, plan, probe->eventlogs[0].argument_count);
	return plan_ghc(log, plan, &description);
}

static bool plan_other_types(struct eventlog *log)
{
	for (size_t i = 1; i < log->plan_count; i++) {
		struct plan *plan = &log->plans[i];
		const struct wire_type *type = wire_type_find(plan->type);
		struct description description;

		if (plan->role != ROLE_SKIP || !type || !wire_is_ghc(plan->type) ||
			plan->is_variable != (type->size == WIRE_VARIABLE) ||
			(!plan->is_variable && plan->payload < type->least))
			continue;
		describe_type(type, plan, &description);
		if (!plan_ghc(log, plan, &description))
			return false;
	}
	return true;
}

/* ---- derived probes ---- */

static bool derive(struct eventlog *log, const struct ghc_derived *from,
	const struct contract_provider *provider)
{
	struct plan *plan = &log->plans[log->plan_of[from->type]];
	const struct contract_probe *probe = contract_find_probe(provider, from->name);
	struct compat compat = {.probe = UINT32_MAX, .is_derived = true, .rule = from->rule};
	struct compat_description *description = &compat.description;

	if (!plan->description || !probe)
		return true;
	/* only the statistics have the generation */
	if (from->rule >= RULE_BEGINS && !log->plan_of[WIRE_GC_STATS_GHC])
		return true;
	snprintf(description->provider, sizeof(description->provider), DESCRIBE_PROVIDER);
	snprintf(description->name, sizeof(description->name), "%s", from->name);
	description->condition = UINT8_MAX;
	for (unsigned int i = 0; from->arguments[i] != ARGUMENT_END; i++) {
		struct describe_argument argument = {.size = 0};
		uint8_t index = from->arguments[i];

		/* the probe ends before the first argument that an older event lacks */
		if (i >= probe->argument_count ||
			(index < ARGUMENT_ZERO && index >= plan->description->argument_count))
			break;
		put_type(&argument, &probe->arguments[i]);
		strcpy(description->arguments[i].type, argument.type);
		strcpy(description->arguments[i].name, argument.name);
		description->arguments[i].index = index;
		description->argument_count++;
	}
	return eventlog_add_compat(log, plan, &compat, log->scanned);
}

static bool derive_probes(struct eventlog *log)
{
	struct contract *contract = NULL;
	const struct contract_provider *provider;
	struct error error = {""};
	bool good = true;

	if (known_contract_read(DESCRIBE_PROVIDER, &contract, &error))
		return eventlog_damaged(log, log->scanned, "%s", error.text);
	provider = contract_find_provider(contract, DESCRIBE_PROVIDER);
	for (size_t i = 0; i < sizeof(derived) / sizeof(derived[0]) && good; i++)
		good = derive(log, &derived[i], provider);
	contract_free(contract);
	if (good && names_define(&log->names, NAME_GC, "gc", 2))
		return eventlog_damaged(log, log->scanned, "out of memory");
	return good;
}

bool eventlog_note_ghc(struct eventlog *log, uint16_t type, uint64_t time,
	const unsigned char *payload, size_t size)
{
	struct ghc_state *ghc = &log->ghc;

	if (type == WIRE_HEAP_INFO_GHC && size >= 6)
		ghc->generations = bytes_u16(payload + 4);
	if (type != WIRE_GC_STATS_GHC || size < 6)
		return true;
	if ((ghc->count + 1) * sizeof(*ghc->collections) > EVENTLOG_PENDING_MAX ||
		array_room(
			&ghc->collections, &ghc->capacity, ghc->count, sizeof(*ghc->collections)))
		return eventlog_damaged(log, log->scanned, "out of memory");
	ghc->collections[ghc->count++] =
		(struct ghc_collection){.time = time, .generation = bytes_u16(payload + 4)};
	return true;
}

static int compare_collections(const void *one, const void *other)
{
	const struct ghc_collection *left = one, *right = other;

	return (left->time > right->time) - (left->time < right->time);
}

/* Returns the generation of the collection that begins at this time, or UINT32_MAX if the log ends
 * during it. */
static uint32_t find_generation(struct ghc_state *ghc, uint64_t time)
{
	size_t low = 0, high = ghc->count;

	if (!ghc->is_sorted && ghc->count)
		qsort(ghc->collections, ghc->count, sizeof(*ghc->collections), compare_collections);
	ghc->is_sorted = true;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (ghc->collections[middle].time < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low < ghc->count ? ghc->collections[low].generation : UINT32_MAX;
}

void eventlog_step_ghc(struct eventlog *log, const struct plan *plan, uint16_t cap, uint64_t time)
{
	struct ghc_state *ghc = &log->ghc;
	unsigned char bit = (unsigned char)(1u << cap % 8);
	bool was = ghc->is_collecting[cap / 8] & bit;

	ghc->begins = ghc->ends = false;
	if (plan->type == WIRE_GC_START && !was) {
		ghc->is_collecting[cap / 8] |= bit;
		ghc->begins = !ghc->collecting++;
		if (ghc->begins) {
			ghc->cap = cap;
			ghc->generation = find_generation(ghc, time);
		}
	} else if (plan->type == WIRE_GC_END && was) {
		ghc->is_collecting[cap / 8] &= (unsigned char)~bit;
		ghc->ends = !--ghc->collecting;
	}
}

static bool holds(const struct ghc_state *ghc, uint8_t rule, const uint64_t *given)
{
	switch (rule) {
	case RULE_FINISHED:
		return given[2] == 5;
	case RULE_QUEUED:
		return given[2] >= 1 && given[2] <= 3;
	case RULE_BEGINS:
		return ghc->begins;
	case RULE_ENDS:
		return ghc->ends;
	default:
		return true;
	}
}

static uint64_t value_of(const struct eventlog *log, uint8_t index, const uint64_t *given)
{
	const struct ghc_state *ghc = &log->ghc;

	switch (index) {
	case ARGUMENT_ZERO:
		return 0;
	case ARGUMENT_ONE:
		return 1;
	case ARGUMENT_CAP:
		return ghc->cap;
	case ARGUMENT_GENERATION:
		return ghc->generation;
	case ARGUMENT_FULL:
		return ghc->generation != UINT32_MAX && ghc->generation &&
			ghc->generation + 1 >= ghc->generations;
	case ARGUMENT_GC:
		return event_handle(names_index(&log->names, NAME_GC), 0);
	default:
		return given[index];
	}
}

bool eventlog_fires_ghc(const struct eventlog *log, const struct compat *compat,
	const uint64_t *given, uint64_t *arguments)
{
	const struct compat_description *description = &compat->description;

	if (!holds(&log->ghc, compat->rule, given))
		return false;
	for (unsigned int i = 0; i < description->argument_count; i++)
		arguments[i] = value_of(log, description->arguments[i].index, given);
	return true;
}

/* Returns true if a collection's first and last events must be known. */
static bool needs_collections(const struct eventlog *log)
{
	for (size_t i = 1; i < log->plan_count; i++)
		for (unsigned int j = 0; j < log->plans[i].compat_count; j++) {
			const struct compat *compat = &log->plans[i].compats[j];
			if (compat->is_derived && compat->is_wanted && compat->rule >= RULE_BEGINS)
				return true;
		}
	return false;
}

void eventlog_enable_ghc(struct eventlog *log)
{
	bool is_needed = log->running && needs_collections(log);

	for (size_t i = 1; is_needed && i < log->plan_count; i++) {
		struct plan *plan = &log->plans[i];
		if ((plan->type != WIRE_GC_START && plan->type != WIRE_GC_END) ||
			!plan->description)
			continue;
		plan->role = ROLE_WANTED;
		plan->is_direct = false;
	}
}

/* ---- the log ---- */

static bool describes_probes(const struct eventlog *log)
{
	for (size_t i = 1; i < log->plan_count; i++)
		if (log->plans[i].description)
			return true;
	return false;
}

/*
 * Makes plans for GHC's types that are not described. derives: the log has no probes of provider
 * vm, so they are derived from GHC's events. Returns false on errors.
 */
static bool plan_contract(struct eventlog *log, bool derives)
{
	struct contract *contract = NULL;
	const struct contract_provider *provider;
	struct error error = {""};
	bool good = true;

	if (known_contract_read(GHC_PROVIDER, &contract, &error))
		return eventlog_damaged(log, log->scanned, "%s", error.text);
	provider = contract_find_provider(contract, GHC_PROVIDER);
	for (size_t i = 0; i < provider->probe_count && good; i++) {
		const struct contract_probe *probe = &provider->probes[i];
		uint16_t plan = probe->eventlog_count ? log->plan_of[probe->eventlogs[0].type] : 0;
		if (plan)
			good = plan_contract_probe(log, &log->plans[plan], probe);
	}
	contract_free(contract);
	if (good && derives)
		good = plan_other_types(log) && derive_probes(log);
	if (!good)
		return false;
	log->running = calloc(WIRE_NO_CAP + 1, sizeof(*log->running));
	return log->running ? true : eventlog_damaged(log, log->scanned, "out of memory");
}

bool eventlog_plan_ghc(struct eventlog *log)
{
	if (describes_probes(log))
		return true;
	log->form_open = false;
	return plan_contract(log, true);
}

bool eventlog_decide_form(struct eventlog *log, uint16_t type)
{
	if (wire_type_has(type, WIRE_ON_CONNECT))
		return true;
	log->form_open = false;
	if (!wire_is_ghc(type))
		return true;
	log->ghc_alone = true;
	for (size_t i = 1; i < log->plan_count; i++) {
		struct plan *plan = &log->plans[i];
		if (!wire_is_ghc(plan->type) && plan->role != ROLE_SKIP) {
			free(plan->description);
			free(plan->compats);
			*plan = (struct plan){.role = ROLE_MISPLACED,
				.type = plan->type,
				.payload = plan->payload,
				.is_variable = plan->is_variable};
		}
		/* an event of GHC's belongs to GHC's probe, whatever the VM has opted in for */
		for (unsigned int j = 0; j < plan->compat_count; j++) {
			struct compat *compat = &plan->compats[j];
			if (strcmp(compat->description.provider, GHC_PROVIDER) != 0)
				continue;
			compat->description.is_absent = false;
			log->providers[compat->provider].is_there = true;
		}
	}
	return plan_contract(log, false);
}
