/* registry.c: see registry.h. */
#include "shim/registry.h"

#include <pthread.h>
#include <string.h>

#include "shim/encode.h"
#include "shim/ring.h"
#include "shim/stamp.h"

/* A signal handler that calls exit() or fork() may come while its thread has it. */
static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;
static struct vmtap_object *objects;
static _Atomic uint32_t strangers;
static uint32_t providers;
static uint64_t providers_since; /* raw time */
static bool open_probes[VMTAP_PROBES];
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
	for (uint32_t i = 0; i < object->probe_count && i < VMTAP_PROBES; i++)
		if (vmtap_word_stream_load(object->words[i]) != open_probes[i])
			vmtap_word_stream_store(object->words[i], open_probes[i]);
}

void registry_open(const bool wanted[VMTAP_PROBES], const struct vmtap_runtime *runtime)
{
	memcpy(open_probes, wanted, sizeof(open_probes));
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
		all |= object->providers;
	if (all != providers)
		providers_since = stamp_raw();
	providers = all;
}

uint32_t registry_strangers(void)
{
	return atomic_load_explicit(&strangers, memory_order_relaxed);
}

static bool is_stranger(const struct vmtap_object *object)
{
	return object->digest != event_digest || object->probe_count != VMTAP_PROBES;
}

void vmtap_object_add(struct vmtap_object *object)
{
	registry_lock();
	if (is_stranger(object)) {
		strangers++;
	} else {
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
	for (link = &objects; *link && *link != object; link = &(*link)->next)
		;
	if (*link)
		*link = object->next;
	else if (is_stranger(object))
		strangers--;
	note_providers();
	atomic_store(&object->runtime, NULL);
	for (uint32_t i = 0; i < object->probe_count; i++)
		vmtap_word_stream_store(object->words[i], 0);
	registry_unlock();
}
