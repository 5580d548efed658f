/*
 * change.c: see change.h, and vmtap.h for the VM's side. The server compares a digest of all guards
 * with the last one that the VM was called for, and calls the VM's function after it has released
 * the lock.
 */
#include "shim/extra/change.h"

#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "shim/core/descriptor.h"
#include "shim/core/extra.h"
#include "shim/core/registry.h"
#include "shim/core/vm_call.h"

enum { LOOK_MS_DEFAULT = 100, NS_PER_MS = 1000000 };

/* fork() may copy the state of any moment, so of these one is in use and the other is free. */
static struct vmtap_change_options change_registrations[2];
static const struct vmtap_change_options change_none, *_Atomic change_registered = &change_none;

static struct {
	uint64_t seen;     /* registry_guards() when the VM was last called */
	uint64_t openings; /* registry_openings() then */
	uint64_t due;      /* CLOCK_MONOTONIC: when to read the guards next */
	int wake;
	struct descriptor_file wake_file;
} change_state = {.wake = -1};

static struct vm_calls change_calls = {.kind = VM_CALL_CHANGE};

int vmtap_on_change(const struct vmtap_change_options *options)
{
	struct vmtap_change_options own = {0}, *other;

	if (options && !options->size)
		return -EINVAL;
	if (options)
		memcpy(&own, options, options->size < sizeof(own) ? options->size : sizeof(own));
	if (options && !own.changed)
		return -EINVAL;
	if (!options && vm_call_is_inside())
		return -EDEADLK;
	if (options && !registry_is_used())
		return -ENOTSUP;
	registry_lock();
	other = &change_registrations[atomic_load(&change_registered) == &change_registrations[0]];
	*other = own;
	atomic_store(&change_registered, options ? other : &change_none);
	change_state.seen = REGISTRY_ALL_CLOSED;
	change_state.due = 0;
	if (options && change_state.wake >= 0)
		descriptor_tell(change_state.wake, change_state.wake_file, 1);
	registry_unlock();
	if (!options)
		vm_call_await(&change_calls);
	return 0;
}

void change_attach(int wake)
{
	registry_lock();
	change_state.wake = wake;
	change_state.wake_file = descriptor_file(wake);
	change_state.due = 0;
	registry_unlock();
}

void change_detach(void)
{
	registry_lock();
	change_state.wake = -1;
	registry_unlock();
}

int change_turn(void)
{
	struct vmtap_change_options options;
	uint64_t now, guards;
	bool calls_vm = false;
	int next = -1;

	if (atomic_load(&change_registered) == &change_none)
		return -1;
	registry_lock();
	options = *atomic_load(&change_registered);
	if (!options.changed)
		goto out;
	now = clock_monotonic();
	if (now >= change_state.due || change_state.openings != registry_openings()) {
		change_state.openings = registry_openings();
		change_state.due = now +
			(options.look_ms ? options.look_ms : LOOK_MS_DEFAULT) * (uint64_t)NS_PER_MS;
		guards = registry_guards();
		calls_vm = guards != change_state.seen;
		change_state.seen = guards;
	}
	next = (int)((change_state.due - now + NS_PER_MS - 1) / NS_PER_MS);
	if (calls_vm)
		vm_call_begin(&change_calls);
out:
	registry_unlock();
	if (calls_vm) {
		options.changed(options.context);
		vm_call_end(&change_calls);
	}
	return next;
}

void change_fork_child(void)
{
	vm_call_fork_child(&change_calls);
	change_state.wake = -1;
	change_state.due = 0;
}

static const struct extra_change change_table = {.attach = change_attach,
	.detach = change_detach,
	.turn = change_turn,
	.fork_child = change_fork_child};
EXTRA_POINTER const struct extra_change *vmtap_extra_change = &change_table;
