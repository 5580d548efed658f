/* registry.c: see registry.h. */
#include "shim/registry.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "shim/event_table.h"
#include "shim/ring.h"
#include "shim/stamp.h"

/* A signal handler that calls exit() or fork() may come while its thread has it. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct vmtap_object *objects;
static uint32_t strangers;
static _Atomic uint32_t omissions;
static uint32_t providers;
static uint64_t providers_since; /* raw time */
static bool open_events[EVENTS_MAX];
static const struct vmtap_runtime *used_runtime = &ring_runtime;

void registry_lock(void)
{
	pthread_mutex_lock(&lock);
}

void registry_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

void registry_fork_child(void)
{
	lock = (pthread_mutex_t)PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
}

static void object_open(struct vmtap_object *object)
{
	atomic_store(&object->runtime, used_runtime);
	for (uint32_t i = 0; i < object->event_count; i++) {
		uint16_t number = object->numbers[i];
		bool open = number != VMTAP_OBJECT_NO_NUMBER && open_events[number];
		if (vmtap_word_stream_load(object->words[i]) != open)
			vmtap_word_stream_store(object->words[i], open);
	}
}

void registry_open(const bool wanted[EVENTS_MAX], const struct vmtap_runtime *runtime)
{
	memcpy(open_events, wanted, sizeof(open_events));
	used_runtime = runtime;
	for (struct vmtap_object *object = objects; object; object = object->next)
		object_open(object);
}

uint32_t registry_providers(uint64_t *since)
{
	*since = providers_since;
	return providers;
}

static void note_providers(void)
{
	uint32_t all = 0;

	for (const struct vmtap_object *object = objects; object; object = object->next)
		all |= event_table_provider_mask(object->providers);
	if (all != providers)
		providers_since = stamp_raw();
	providers = all;
}

/* ---- what is kept out ---- */

uint32_t registry_omissions(void)
{
	return atomic_load_explicit(&omissions, memory_order_acquire);
}

/* Whether an object before this one in the list keeps the same probe out. */
static bool is_repeated(
	const struct vmtap_object *object, const struct definition *definition, size_t length)
{
	for (const struct vmtap_object *other = objects; other != object; other = other->next)
		for (uint32_t i = 0; i < other->event_count; i++)
			if (other->numbers[i] == VMTAP_OBJECT_NO_NUMBER &&
				!strncmp(other->definitions[i]->description,
					definition->description, length + 1))
				return true;
	return false;
}

/* Appends ", NAME" for each probe that is kept out, as far as there is room; returns how many
 * there are. */
static unsigned name_omitted(char *text, size_t size)
{
	unsigned count = 0, left_out = 0;
	size_t used = strlen(text);

	for (const struct vmtap_object *object = objects; object; object = object->next) {
		for (uint32_t i = 0; i < object->event_count; i++) {
			const char *name = object->definitions[i]->description;
			size_t length = strcspn(name, "(");
			if (object->numbers[i] != VMTAP_OBJECT_NO_NUMBER ||
				is_repeated(object, object->definitions[i], length))
				continue;
			if (used + length + sizeof(", and 4294967295 more") > size)
				left_out++;
			else
				used += (size_t)snprintf(text + used, size - used, "%s%.*s",
					count ? ", " : "", (int)length, name);
			count++;
		}
	}
	if (left_out)
		snprintf(text + used, size - used, " and %u more", left_out);
	return count;
}

bool registry_describe_omissions(char *strangers_text, char *probes_text, size_t size)
{
	unsigned count;

	*strangers_text = '\0';
	if (strangers)
		snprintf(strangers_text, size,
			"vmtap: %u object%s built with another version of the probes: %s events "
			"are missing",
			strangers, strangers == 1 ? " was" : "s were",
			strangers == 1 ? "its" : "their");
	snprintf(probes_text, size,
		"vmtap: events are missing of probes whose arguments are not the "
		"same in all objects of the process: ");
	count = name_omitted(probes_text, size);
	if (!count)
		*probes_text = '\0';
	return strangers || count;
}

/* ---- objects ---- */

/* The struct may be a newer one's beginning, but what it points to must be laid out as here. */
static bool is_stranger(const struct vmtap_object *object)
{
	return object->version != VMTAP_OBJECT_VERSION || object->size < sizeof(*object);
}

/* A version of a probe that listeners have asked for is open from its first event on. */
static bool is_name_open(uint32_t number)
{
	const struct event_type *type = event_get(number);

	for (int i = -1; (i = event_table_next_of_name(type, i)) >= 0;)
		if (open_events[i])
			return true;
	return false;
}

static void number_events(struct vmtap_object *object)
{
	bool any_omitted = false;

	for (uint32_t i = 0; i < object->event_count; i++) {
		uint32_t before = event_count();
		int number = event_table_add(object->definitions[i]);
		object->numbers[i] = number < 0 ? VMTAP_OBJECT_NO_NUMBER : (uint16_t)number;
		any_omitted |= number < 0;
		if (number >= 0 && event_count() > before)
			open_events[number] = is_name_open((uint32_t)number);
	}
	if (any_omitted)
		omissions++;
}

void vmtap_object_add(struct vmtap_object *object)
{
	registry_lock();
	if (is_stranger(object)) {
		strangers++;
		omissions++;
	} else {
		number_events(object);
		object->next = objects;
		objects = object;
		note_providers();
		object_open(object);
	}
	registry_unlock();
}

void vmtap_object_remove(struct vmtap_object *object)
{
	struct vmtap_object **link;

	registry_lock();
	if (is_stranger(object)) {
		strangers--;
		registry_unlock();
		return;
	}
	for (link = &objects; *link && *link != object; link = &(*link)->next)
		;
	if (*link)
		*link = object->next;
	note_providers();
	atomic_store(&object->runtime, NULL);
	for (uint32_t i = 0; i < object->event_count; i++)
		vmtap_word_stream_store(object->words[i], 0);
	registry_unlock();
}
