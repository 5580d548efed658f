/*
 * target_streams.h: whether what is to be traced serves an event stream, for verbs that show a
 * process by the kernel's samples if it serves none.
 */
#ifndef VMTAP_TARGETS_TARGET_STREAMS_H
#define VMTAP_TARGETS_TARGET_STREAMS_H

struct error;
struct target_item;
struct target_spec;

enum target_streams {
	TARGET_STREAMS_ALL,    /* each process serves one, and each command's program is a VM */
	TARGET_STREAMS_NONE,   /* no process serves one */
	TARGET_STREAMS_SOME,   /* some processes do */
	TARGET_STREAMS_UNKNOWN /* a command's program is no VM, but it may execute, start or load
				  one */
};

/*
 * Connects to each process for a moment; one that contains the library and does not serve yet gets
 * a second for that. A command has not been started yet, so the file of its program is read.
 * If option --via is given, it alone decides. Returns 0 and *streams, or a negative errno and a
 * line in error: a process does not exist, or belongs to another user.
 */
int target_streams_look(
	const struct target_spec *spec, enum target_streams *streams, struct error *error);

/*
 * The same for one process, and for the program of one command (struct target_kind_methods).
 * Returns 1 if there is a stream, 0 if not, or a negative errno and a line in error.
 */
int target_streams_process(const struct target_item *item, struct error *error);
int target_streams_command(const struct target_item *item, struct error *error);

#endif
