/*
 * thread_ends.h: has the kernel report which OS threads end, so that their self-> variables are not
 * taken for those of later threads with the same numbers. The programs put records of kind
 * KERNEL_RECORD_END into the ring of a source's other records, for all threads of the machine.
 *
 * A record is written when a thread ends, and another when a thread begins, since probes may fire
 * in a thread that is already ending. A full ring loses them as it loses events.
 */
#ifndef VMTAP_KERNEL_CAPTURE_THREAD_ENDS_H
#define VMTAP_KERNEL_CAPTURE_THREAD_ENDS_H

struct bpf_features;
struct error;

struct kernel_ends {
	int exit_link, fork_link; /* -1: not attached */
};

/* The value of a source's struct kernel_ends until it opens them. */
#define KERNEL_ENDS_NONE ((struct kernel_ends){-1, -1})

/*
 * Attaches the programs; the source must have attached those of its probes before, so that at the
 * same tracepoint they run first. ring: the map's descriptor. Returns 0 or a negative errno and a
 * line in error.
 */
int kernel_ends_open(struct kernel_ends *ends, const struct bpf_features *features, int ring,
	struct error *error);
void kernel_ends_close(struct kernel_ends *ends);

#endif
