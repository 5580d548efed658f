/*
 * registry.c: see registry.h. Objects are a list; each change is one store, under the lock. Of a
 * word only the stream's half may be written, by a 16-bit store, because the kernel may change the
 * other half at any moment.
 */
#include "shim/core/registry.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/test_point.h"
#include "shim/core/event_table.h"
#include "shim/core/fork_page.h"
#include "shim/core/lock.h"
#include "shim/core/ring.h"
#include "shim/core/stamp.h"
#include "wire/wire.h"

enum { OMITTED_BYTES = REGISTRY_TEXT_BYTES - 112 /* minus the rest of the message */ };

static struct lock objects_lock = LOCK_INITIALIZER;
static sigset_t mask_before; /* of the thread that holds the lock */
static int cancel_before;    /* and its cancellation state */
static bool has_masked;      /* it has changed its mask; a sandbox may refuse that */
static __thread bool blocks_signals;
static __thread volatile unsigned uses; /* how often this thread holds the lock, or is about to */
static struct vmtap_object *objects;    /* changed by one store each time */
static uint32_t strangers;
static uint32_t unreachable; /* objects that cannot call this runtime */
static char unreachable_files[2][96];
static const char *unreachable_file = ""; /* the last one's path, or the end of it */
static _Atomic uint32_t omissions;        /* counts objects and probes that were ever excluded */
static uint32_t omitted_live;             /* probes that are excluded now */
static char omitted[OMITTED_BYTES];       /* the names of all probes ever excluded */
static bool omitted_more;                 /* there were more than fit into omitted */
static uint32_t providers;
static uint64_t providers_since;   /* raw time */
static uint8_t wishes[EVENTS_MAX]; /* in force */
static uint8_t wishes_for_new;     /* those for a probe that no object had before */
static uint64_t openings;

void registry_signals(sigset_t *set)
{
	static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS};

	sigfillset(set);
	for (unsigned i = 0; i < sizeof(own) / sizeof(*own); i++)
		sigdelset(set, own[i]);
}

void registry_lock(void)
{
	sigset_t set, before;
	bool masked = false;
	int cancel = PTHREAD_CANCEL_ENABLE;

	/* Do this before changing any state, because until then a handler may leave this function
	 * by longjmp(). The signal for asynchronous cancellation cannot be blocked. */
	if (!blocks_signals && !uses) {
		registry_signals(&set);
		masked = !pthread_sigmask(SIG_BLOCK, &set, &before);
	}
	if (masked)
		pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel);
	uses++;
	atomic_signal_fence(memory_order_seq_cst);
	fork_page_await();
	lock_take(&objects_lock);
	if (atomic_load(&objects_lock.depth) == 1) {
		has_masked = masked;
		if (masked) {
			mask_before = before;
			cancel_before = cancel;
		}
	}
	TEST_POINT("registry-locked");
}

bool registry_lock_try(void)
{
	uses++;
	atomic_signal_fence(memory_order_seq_cst);
	if (lock_try(&objects_lock)) {
		has_masked = false;
		return true;
	}
	uses--;
	return false;
}

void registry_unlock(void)
{
	bool unmasks = has_masked && atomic_load(&objects_lock.depth) == 1;
	int cancel = cancel_before;
	sigset_t before;

	if (unmasks)
		before = mask_before;
	lock_release(&objects_lock);
	atomic_signal_fence(memory_order_seq_cst);
	uses--;
	if (unmasks) {
		pthread_setcancelstate(cancel, NULL);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
	}
}

bool registry_block_signals(bool blocks)
{
	bool before = blocks_signals;

	blocks_signals = blocks;
	return before;
}

bool registry_is_used_here(void)
{
	return uses;
}

static void object_open(struct vmtap_object *object)
{
	atomic_store(&object->runtime, &ring_runtime);
	for (uint32_t i = 0; i < object->event_count; i++) {
		uint16_t number = object->numbers[i], own = number & RING_NUMBER;
		bool open = false;
		if (number != VMTAP_OBJECT_NO_NUMBER) {
			open = wishes[own] & RING_OPEN;
			/* before the guard opens; threads in the fire function read it at any time
			 */
			__atomic_store_n(&object->numbers[i], ring_tagged(own, wishes[own]),
				__ATOMIC_RELAXED);
		}
		if (vmtap_word_stream_load(object->words[i]) != open)
			vmtap_word_stream_store(object->words[i], open);
	}
}

void registry_open(const uint8_t now[EVENTS_MAX], uint32_t count, uint8_t for_new)
{
	for (uint32_t i = 0; i < count; i++)
		if (wishes[i] != now[i])
			ring_set_wishes(i, wishes[i] = now[i]);
	wishes_for_new = for_new;
	openings++;
	for (struct vmtap_object *object = objects; object; object = object->next)
		object_open(object);
}

uint64_t registry_openings(void)
{
	return openings;
}

uint64_t registry_guards(void)
{
	uint64_t digest = REGISTRY_ALL_CLOSED;

	for (const struct vmtap_object *object = objects; object; object = object->next)
		for (uint32_t i = 0; i < object->event_count; i++) {
			const uint32_t *word = (const void *)object->words[i];
			uint64_t place = (uint64_t)(uintptr_t)word * UINT64_C(0x9e3779b97f4a7c15);

			if (__atomic_load_n(word, __ATOMIC_RELAXED))
				digest += place ^ place >> 29;
		}
	return digest;
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

/* ---- what is excluded ---- */

uint32_t registry_omissions(void)
{
	return atomic_load_explicit(&omissions, memory_order_acquire);
}

bool registry_has_omissions(void)
{
	return strangers || unreachable || omitted_live;
}

/* Remembers the name of an excluded probe: its object may be gone before clients receive it. */
static void note_omitted(const char *description)
{
	size_t length = strcspn(description, "("), used = strlen(omitted);

	for (size_t at = 0, end; at < used; at = end + 2) { /* names are separated by ", " */
		end = at + strcspn(omitted + at, ",");
		if (end - at == length && !memcmp(omitted + at, description, length))
			return;
	}
	if (used + length + sizeof(", ") > sizeof(omitted))
		omitted_more = true;
	else if (used) { /* the first byte last, so that a child of fork() has whole names */
		memcpy(omitted + used + 2, description, length);
		omitted[used + 1] = ' ';
		atomic_thread_fence(memory_order_release);
		omitted[used] = ',';
	} else {
		memcpy(omitted + 1, description + 1, length - 1);
		atomic_thread_fence(memory_order_release);
		*omitted = *description;
	}
}

void registry_describe_omissions(char texts[OMITTED_KINDS][REGISTRY_TEXT_BYTES])
{
	for (unsigned i = 0; i < OMITTED_KINDS; i++)
		*texts[i] = '\0';
	if (strangers)
		snprintf(texts[OMITTED_STRANGERS], REGISTRY_TEXT_BYTES,
			WIRE_MESSAGE "%u object%s built with another version of the probes: %s "
				     "events are missing",
			strangers, strangers == 1 ? " was" : "s were",
			strangers == 1 ? "its" : "their");
	if (unreachable)
		snprintf(texts[OMITTED_UNREACHABLE], REGISTRY_TEXT_BYTES,
			WIRE_MESSAGE "%u object%s cannot reach the stream, so %s events are "
				     "missing; link the executable with -rdynamic: %s",
			unreachable, unreachable == 1 ? "" : "s",
			unreachable == 1 ? "its" : "their", unreachable_file);
	if (*omitted)
		snprintf(texts[OMITTED_PROBES], REGISTRY_TEXT_BYTES,
			WIRE_MESSAGE
			"events are missing of probes whose arguments are not the same "
			"in all objects of the process: %s%s",
			omitted, omitted_more ? " and others" : "");
}

/* ---- objects ---- */

/* The object's struct may be shorter or longer than this one, if it was made for an older or a
 * newer library, but what it points to must have the layout defined here. */
static bool is_stranger(const struct vmtap_object *object)
{
	return object->version != VMTAP_OBJECT_VERSION ||
		object->size < offsetof(struct vmtap_object, next) + sizeof(object->next);
}

static size_t definition_size(const struct vmtap_object *object)
{
	return object->size >= sizeof(*object) ? object->definition_size : 0;
}

/* Returns the wishes for a type that has just been added, before the server has seen it: the type
 * may be a version of a probe whose other versions are open, or one that a client waits for. */
static uint8_t first_wishes(uint32_t number)
{
	const struct event_type *type = event_get(number);
	bool is_new = true;

	for (int i = -1; (i = event_table_next_of_name(type, i)) >= 0;) {
		if (wishes[i] & RING_OPEN)
			return wishes[i];
		is_new &= (uint32_t)i == number;
	}
	return is_new ? wishes_for_new : 0;
}

/* Returns the number of the object's probes that are excluded. */
static uint32_t count_omitted(const struct vmtap_object *object)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < object->event_count; i++)
		count += object->numbers[i] == VMTAP_OBJECT_NO_NUMBER;
	return count;
}

/* Returns the provider's definition in D that the probe's definition carries, or NULL. */
static const char *carried_by(const struct vmtap_object *object, uint32_t event)
{
	const size_t end = offsetof(struct vmtap_definition, library) + sizeof(char *);

	return definition_size(object) < end ? NULL : object->definitions[event]->library;
}

/* Returns true if the stream carries this text with the event type. */
static bool is_carried(int number, const char *library)
{
	const char *known = number < 0 ? NULL : event_get((uint32_t)number)->is.library;

	return known && !strcmp(known, library);
}

/*
 * Another object may have been made from an older version of the provider. Then the probe that
 * carries the newer text may be known already without it; the first new probe carries the text
 * instead.
 */
static void number_events(struct vmtap_object *object)
{
	const char *homeless = NULL;

	for (uint32_t i = 0; i < object->event_count; i++) {
		uint32_t before = event_count();
		const char *library = carried_by(object, i);
		struct vmtap_definition changed = {0};
		size_t size = definition_size(object);
		int number;

		if (homeless) {
			memcpy(&changed, object->definitions[i],
				size < sizeof(changed) ? size : sizeof(changed));
			changed.library = homeless;
			size = sizeof(changed);
		}
		number = event_table_add(homeless ? &changed : object->definitions[i], size);
		if (event_count() > before)
			homeless = NULL;
		else if (library && !is_carried(number, library))
			homeless = library;
		object->numbers[i] = number < 0 ? VMTAP_OBJECT_NO_NUMBER : (uint16_t)number;
		if (number < 0)
			note_omitted(object->definitions[i]->description);
		if (number >= 0 && event_count() > before)
			ring_set_wishes(
				(uint32_t)number, wishes[number] = first_wishes((uint32_t)number));
	}
	omitted_live += count_omitted(object);
	omissions += count_omitted(object);
}

/* The object's contents, and what follows it in the list, are complete before the link is set. */
static void registry_set_link(struct vmtap_object **link, struct vmtap_object *object)
{
	__atomic_store_n(link, object, __ATOMIC_RELEASE);
}

static void object_close(struct vmtap_object *object)
{
	for (uint32_t i = 0; i < object->event_count; i++)
		vmtap_word_stream_store(object->words[i], 0);
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
		registry_set_link(&objects, object);
		openings++;
		TEST_POINT("object-added");
		note_providers();
		object_open(object);
	}
	registry_unlock();
}

/* ---- objects that cannot reach the runtime ---- */

/* Called by the constructors and destructors of such objects. change: 1 or -1. */
static void note_unreachable(const char *file, int change)
{
	size_t length = strlen(file);
	char *text;

	if (length >= sizeof(unreachable_files[0]))
		file += length - (sizeof(unreachable_files[0]) - 1);
	registry_lock();
	if (change > 0) {
		text = unreachable_files[unreachable_file == unreachable_files[0]];
		strcpy(text, file);
		atomic_thread_fence(memory_order_release);
		unreachable_file = text;
		omissions++;
	}
	unreachable += (uint32_t)change;
	registry_unlock();
}

VMTAP_HIDDEN extern const struct vmtap_beacon vmtap_beacon;
__attribute__((used)) const struct vmtap_beacon vmtap_beacon = {
	.version = VMTAP_OBJECT_VERSION, .unreachable = note_unreachable};

/* The note says where the beacon is, relative to itself. */
__asm__(".pushsection .note.vmtap, \"a\", %note\n"
	"\t.balign 4\n"
	"vmtap_beacon_note:\n"
	"\t.long 6, 8, " BEACON_NOTE_TEXT "\n"
	"\t.asciz \"vmtap\"\n"
	"\t.balign 4\n"
	"\t.quad vmtap_beacon - .\n"
	"\t.popsection\n");

void vmtap_object_remove(struct vmtap_object *object)
{
	struct vmtap_object **link;

	registry_lock();
	if (is_stranger(object)) {
		strangers--;
		registry_unlock();
		return;
	}
	object_close(object);
	atomic_store(&object->runtime, NULL);
	for (link = &objects; *link && *link != object; link = &(*link)->next)
		;
	if (*link) {
		omitted_live -= count_omitted(object);
		registry_set_link(link, object->next);
	}
	openings++;
	note_providers();
	registry_unlock();
}

extern __typeof__(vmtap_object_remove) registry_own_remove
	__attribute__((alias("vmtap_object_remove"), visibility("hidden")));

/* ---- fork ---- */

/* Another thread may have been anywhere in this file when the process forked. Its change counts
 * only if it had made the one store by which it takes effect. */
void registry_fork_child(void)
{
	struct vmtap_object *object;

	lock_fork_child(&objects_lock);
	has_masked = false;
	memset(wishes, 0, sizeof(wishes));
	wishes_for_new = 0;
	openings++;
	omitted_live = 0;
	for (object = objects; object; object = object->next) {
		object_close(object);
		omitted_live += count_omitted(object);
	}
	note_providers();
}
