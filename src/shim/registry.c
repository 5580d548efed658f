/* registry.c: see registry.h. */
#include "shim/registry.h"

#include <pthread.h>

#include "shim/encode.h"
#include "shim/ring.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct vmtap_object *objects;
static uint32_t strangers;
static bool open_probes[VMTAP_PROBES];

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
	pthread_mutex_init(&lock, NULL);
}

static void object_open(const struct vmtap_object *object)
{
	for (uint32_t i = 0; i < object->probe_count && i < VMTAP_PROBES; i++)
		if (vmtap_word_stream_load(object->words[i]) != open_probes[i])
			vmtap_word_stream_store(object->words[i], open_probes[i]);
}

void registry_open(const bool wanted[VMTAP_PROBES])
{
	for (unsigned i = 0; i < VMTAP_PROBES; i++)
		open_probes[i] = wanted[i];
	for (struct vmtap_object *object = objects; object; object = object->next)
		object_open(object);
}

uint32_t registry_strangers(void)
{
	return strangers;
}

void vmtap_object_add(struct vmtap_object *object)
{
	registry_lock();
	if (object->digest != event_digest || object->probe_count != VMTAP_PROBES) {
		strangers++;
	} else {
		object->next = objects;
		objects = object;
		atomic_store(&object->runtime, &ring_runtime);
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
	atomic_store(&object->runtime, NULL);
	for (uint32_t i = 0; i < object->probe_count; i++)
		vmtap_word_stream_store(object->words[i], 0);
	registry_unlock();
}
