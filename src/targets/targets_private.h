/*
 * targets_private.h: what the files of the targets share.
 */
#ifndef VMTAP_TARGETS_TARGETS_PRIVATE_H
#define VMTAP_TARGETS_TARGETS_PRIVATE_H

#include "targets/targets.h"

struct d_probe_set;

/* Functions of a kind of group; NULL: nothing is to be done. */
struct target_group_methods {
	int (*open)(struct targets *targets, struct d_probe_set *set, struct error *error);
	void (*join)(struct targets *targets, const struct target_joiner *joiner);
	int (*descriptor)(const struct targets *targets);
	uint64_t (*due)(const struct targets *targets);
	bool is_open_ended; /* processes join that have not been named */
	bool is_recorded;   /* it is of the past, so no probes of the machine belong to it */
};

const struct target_group_methods *target_group_methods(const struct targets *targets);

/* An empty target, to begin with. */
extern const struct target target_none;

/* Adds a target. Returns 0 or -ENOMEM. */
int target_add(struct targets *targets, const struct target *target);

/* Reports a line to the user. */
#define target_tell(targets, ...)                                                                  \
	((targets)->reports.message ? (targets)->reports.message(__VA_ARGS__) : (void)0)

/* Returns how much of a wait of that many ns the patience of the targets allows. */
uint64_t target_patience(const struct targets *targets, uint64_t most);

/* Starts to watch a target whose stream is not followed. Returns 0, or a negative errno and a line
 * in error if it does not exist. */
int target_watch_process(struct targets *targets, struct target *target, struct error *error);

/* Starts a command's program; wait is as child_release() has it. */
int target_start_program(
	struct targets *targets, struct target *target, unsigned wait, struct error *error);

/* Opens a stream as vm_stream_open() does, with the probes profile-n if streams give them. */
int target_open_stream(const struct targets *targets, uint32_t pid, const char *socket, int wait_ms,
	struct d_probe_set *set, struct source **source, struct error *error);

/* The second step, after vm_stream_start(): returns as source_stream_declare() does. Closes the
 * source after a final error. */
int target_declare_stream(const struct targets *targets, struct source *source,
	struct d_probe_set *set, struct error *error);

/* Opens the stream of a target. *source is NULL if it has none; the reason is in target. */
int target_open_own_stream(struct targets *targets, struct target *target, int wait_ms,
	struct d_probe_set *set, struct source **source, struct error *error);

/* Returns whether a probe of the set, from this one on, that some source delivers matches. */
bool target_is_matched(const struct d_probe_set *set, size_t first, const struct d_asked *asked);

/*
 * Returns whether this description still needs a probe: none of the set matches it and, if it is
 * optional, none matches any other optional description.
 */
bool target_lacks(
	const struct targets *targets, const struct d_probe_set *set, const struct d_asked *asked);

#endif
