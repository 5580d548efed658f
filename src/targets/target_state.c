/*
 * target_state.c: see target_state.h. The table is the state machine: a transition that is not in
 * it cannot happen.
 */
#include "targets/target_state.h"

#include <errno.h>

/* The state after each event; 0, a state to which no event leads, means that there is none. */
static const enum target_state table[TARGET_STATES][TARGET_EVENTS] = {
	[TARGET_GIVEN] = {[TARGET_CREATE] = TARGET_CREATED,
		[TARGET_FIND] = TARGET_RUNNING,
		[TARGET_END] = TARGET_ENDED},
	[TARGET_CREATED] = {[TARGET_START] = TARGET_RUNNING,
		[TARGET_ENABLE] = TARGET_ENABLED,
		[TARGET_END] = TARGET_ENDED},
	[TARGET_RUNNING] = {[TARGET_HOLD] = TARGET_HELD,
		[TARGET_ENABLE] = TARGET_RELEASED,
		[TARGET_END] = TARGET_ENDED},
	[TARGET_HELD] = {[TARGET_RESUME] = TARGET_RUNNING,
		[TARGET_ENABLE] = TARGET_ENABLED,
		[TARGET_END] = TARGET_ENDED},
	[TARGET_ENABLED] = {[TARGET_RELEASE] = TARGET_RELEASED, [TARGET_END] = TARGET_ENDED},
	[TARGET_RELEASED] = {[TARGET_END] = TARGET_ENDED},
};

int target_state_next(enum target_state state, enum target_event event)
{
	enum target_state next = TARGET_GIVEN;

	if ((unsigned)state < TARGET_STATES && (unsigned)event < TARGET_EVENTS)
		next = table[state][event];
	return next == TARGET_GIVEN ? -EPROTO : (int)next;
}

const char *target_state_name(enum target_state state)
{
	static const char *const names[TARGET_STATES] = {
		"given", "created", "running", "held", "enabled", "released", "ended"};

	return (unsigned)state < TARGET_STATES ? names[state] : "?";
}

const char *target_event_name(enum target_event event)
{
	static const char *const names[TARGET_EVENTS] = {
		"create", "find", "start", "hold", "resume", "enable", "release", "end"};

	return (unsigned)event < TARGET_EVENTS ? names[event] : "?";
}
