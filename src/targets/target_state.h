/*
 * target_state.h: the life of one target, and the order in which a trace opens, enables, releases
 * and ends its targets.
 *
 * A command's process is created before anything is opened, so that $target is known. Its program
 * is started when its events are to be opened. If the kernel may deliver them, it is held where its
 * own code would begin. If the program has no probes that are asked for, it is resumed, and held
 * again at each program or library that it loads until one has. Once the probes of all targets are
 * enabled, those that wait for that are released: a command that is held goes on, and one that
 * nothing was opened for is started. A process that runs already is found; it waits for nobody, so
 * it is released as soon as its probes are enabled.
 *
 *     GIVEN --create--> CREATED --start--> RUNNING --hold--> HELD --resume--> RUNNING
 *     GIVEN --find----> RUNNING
 *     CREATED, HELD --enable--> ENABLED --release--> RELEASED
 *     RUNNING --enable--> RELEASED
 *     every other state --end--> ENDED
 *
 * The trace as a whole: targets_start() creates; targets_open() finds, starts and holds, and opens
 * what delivers events, or targets_watch() finds and watches only their ends; the caller enables
 * its probes, and says so with targets_enabled(); targets_release() starts the commands that
 * nothing was opened for, and targets_resume() has those go on that are held; targets_poll()
 * notices ends; targets_close() ends commands, and lets go of the others, which keep running.
 */
#ifndef VMTAP_TARGETS_TARGET_STATE_H
#define VMTAP_TARGETS_TARGET_STATE_H

enum target_state {
	TARGET_GIVEN,    /* nothing has been done */
	TARGET_CREATED,  /* the process of a command exists, its program has not started */
	TARGET_RUNNING,  /* it runs, its probes are not enabled yet */
	TARGET_HELD,     /* stopped by us until they are */
	TARGET_ENABLED,  /* its probes are enabled; it does not run yet */
	TARGET_RELEASED, /* it runs with its probes enabled */
	TARGET_ENDED,    /* it has ended, or the trace has let go of it */
	TARGET_STATES
};

enum target_event {
	TARGET_CREATE,
	TARGET_FIND,
	TARGET_START,
	TARGET_HOLD,
	TARGET_RESUME,
	TARGET_ENABLE,
	TARGET_RELEASE,
	TARGET_END,
	TARGET_EVENTS
};

/* Returns the state after an event, or -EPROTO if the event cannot happen in this state. */
int target_state_next(enum target_state state, enum target_event event);

/* Returns the name of a state, such as "held". */
const char *target_state_name(enum target_state state);

/* Returns the name of an event, such as "resume". */
const char *target_event_name(enum target_event event);

#endif
