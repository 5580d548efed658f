/*
 * target_state.h: the life of one target, and the order in which a trace opens, enables, resumes
 * and ends its targets.
 *
 * A command's process is created before anything is opened, so that $target is known. Its program
 * is started when its events are to be opened. If the kernel may deliver them, it is held where its
 * own code would begin, and resumed once its probes are enabled; it may be held again at each
 * program or library that it loads until one has the probes that are asked for. A process that runs
 * already is found.
 *
 *     GIVEN --create--> CREATED --start--> RUNNING --hold--> HELD --resume--> RUNNING
 *     GIVEN --find----> RUNNING
 *     CREATED, RUNNING, HELD --end--> ENDED
 *
 * The trace as a whole: targets_start() creates; targets_open() finds, starts and holds, and opens
 * what delivers events, or targets_watch() finds and watches only their ends; the caller enables
 * its probes; targets_release() starts commands that nothing was opened for, and targets_resume()
 * resumes those that are held; targets_poll() notices ends; targets_close() ends commands and
 * leaves the others running.
 */
#ifndef VMTAP_TARGETS_TARGET_STATE_H
#define VMTAP_TARGETS_TARGET_STATE_H

enum target_state {
	TARGET_GIVEN,   /* nothing has been done */
	TARGET_CREATED, /* the process of a command exists, its program has not started */
	TARGET_RUNNING,
	TARGET_HELD, /* stopped by us until its probes are enabled */
	TARGET_ENDED,
	TARGET_STATES
};

enum target_event {
	TARGET_CREATE,
	TARGET_FIND,
	TARGET_START,
	TARGET_HOLD,
	TARGET_RESUME,
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
