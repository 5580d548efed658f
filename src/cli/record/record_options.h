/* record_options.h: the command line of `vmtap record`. */
#ifndef VMTAP_CLI_RECORD_OPTIONS_H
#define VMTAP_CLI_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "source/recording.h"
#include "targets/target_spec.h"

/* The probe that --samples records, as it is in the list of probes. */
extern const char record_options_sample[];

struct record_options {
	struct target_spec spec; /* what to record */
	uint64_t seconds;        /* after which it ends; 0: not by itself */
	uint64_t heap_period;    /* ns; 0: no samples of the heap */
	uint64_t sample_period;  /* ns; 0: vm:::sample is fired as others ask, or as the VM does */
	bool is_elapsed;         /* that is elapsed time, else CPU time */
	bool lossless, cpu_clock, stacks;
	bool is_of_stream; /* an option is given that only an event stream can meet */
	bool helped;       /* --help has been printed: there is nothing to record */
	const char **probes;
	size_t probe_count, probe_capacity;
	struct recording_settings recording;
};

/* Returns how many probe descriptions -n has named. */
size_t record_options_named(const struct record_options *options);

/*
 * Takes the words of the command line into a struct that is all zero, which points to them. A
 * status: CLI_OK, or what is wrong has been said. In either case call record_options_free().
 */
int record_options_parse(struct record_options *options, int argc, char **argv);
void record_options_free(struct record_options *options);

#endif
