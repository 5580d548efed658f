/*
 * vm_stream.h: opens the event stream of a VM as a source.
 */
#ifndef VMTAP_TARGETS_FIND_VM_STREAM_H
#define VMTAP_TARGETS_FIND_VM_STREAM_H

#include <stddef.h>
#include <stdint.h>

struct d_probe_set;
struct error;
struct source;

/*
 * Opens the stream of a process or, if socket is not NULL, of the process that serves the socket at
 * that path. Its probes are added to the set. wait_ms is as for connect_process(), and limits the
 * wait for the endpoint to appear. Returns 0, or a negative errno and a line in error that names
 * the process, what is wrong and what to do; *source is NULL then.
 */
int vm_stream_open(uint32_t pid, const char *socket, int wait_ms, struct d_probe_set *set,
	struct source **source, struct error *error);

/*
 * The same without waiting, for callers that have other work meanwhile: it only connects.
 * source_stream_declare() is the second step.
 */
int vm_stream_start(uint32_t pid, const char *socket, struct source **source, struct error *error);

/* Connects to a VM to ask it what it is, as source_stream_ask() does. */
int vm_stream_ask(uint32_t pid, struct source **source, struct error *error);

/*
 * Connects to a process only to learn the VM's name and version ("toy 1.0"); "" if it does not send
 * them within wait_ms.
 */
int vm_stream_runtime(uint32_t pid, int wait_ms, char *runtime, size_t size, struct error *error);

#endif
