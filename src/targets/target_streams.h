/*
 * target_streams.h: whether what is to be traced serves an event stream, for verbs that show a
 * process by the kernel's samples if it serves none.
 */
#ifndef VMTAP_TARGETS_TARGET_STREAMS_H
#define VMTAP_TARGETS_TARGET_STREAMS_H

struct error;
struct target_spec;

enum target_streams {
	TARGET_STREAMS_ALL,  /* each target serves a stream, or is a VM by what it is */
	TARGET_STREAMS_NONE, /* processes and programs without libvmtap */
	TARGET_STREAMS_SOME,
	TARGET_STREAMS_UNKNOWN /* a command without it, which may execute, start or load it */
};

/*
 * Connects to each process for a moment; one that contains the library and does not serve yet gets
 * a second for that. A command has not been started, so the file of its program decides: one that
 * loads the library later, as an interpreter loads a module, counts as one without. Returns 0 and
 * *streams, or a negative errno and a line in error: a process does not exist or belongs to another
 * user. Option --via decides where it is given.
 */
int target_streams_look(
	const struct target_spec *spec, enum target_streams *streams, struct error *error);

#endif
