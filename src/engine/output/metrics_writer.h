/*
 * metrics_writer.h: a writer that shows aggregations as metrics, in the text format of OpenMetrics
 * 1.0, which Prometheus reads. Each snapshot (engine_snapshot()) makes a page. What clauses print
 * goes to a text writer, as without metrics.
 *
 * An aggregation @name becomes the metric vmtap_name; its keys become labels with the names that
 * they have in the script (d_aggregation.key_names), "key0", "key1" ... where they have none.
 *
 *   count()                     a counter
 *   sum()                       a counter if the name ends in _total, else a gauge
 *   min, max, avg, stddev       gauges
 *   quantize, lquantize, llquantize   histograms, with the bounds of metrics_bounds.h
 *
 * Where the name ends in _seconds, or _seconds_total, the numbers are ns and are shown as seconds.
 * Names and labels are data of the traced program: they are escaped, and bytes that are not UTF-8
 * become U+FFFD.
 *
 * Rows with a label pid also get one that says what the VM of that process is, runtime.
 *
 * A page has a limited number of rows of each aggregation, those with the largest values; how many
 * are left out is a metric too. Rows with a label pid are left out from five minutes after the end
 * of that process on.
 */
#ifndef VMTAP_ENGINE_OUTPUT_METRICS_WRITER_H
#define VMTAP_ENGINE_OUTPUT_METRICS_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/output/derived_writer.h"
#include "engine/output/metrics_process.h"

struct event_process;

/* A page in the two formats. */
struct metrics_page {
	const char *openmetrics, *classic;
	size_t openmetrics_size, classic_size;
};

struct metrics_writer {
	struct derived_writer derived; /* derived.text.writer is for struct engine_settings */
	size_t series_max;
	/* Takes a page, which is valid during the call. */
	void (*publish)(void *context, const struct metrics_page *page);
	void *publish_context;

	FILE *page;
	char *bytes;
	size_t size;
	FILE *label; /* where a place or a stack is printed before it is escaped */
	char *label_bytes;
	size_t label_size;
	FILE *row; /* the labels of the row that is being printed */
	char *row_bytes;
	size_t row_size;
	FILE *classic;
	char *classic_bytes;
	size_t classic_size;
	bool is_open;       /* a page has been begun */
	uint64_t *left_out; /* rows, by aggregation of the page */
	const char **names;
	size_t shown, room, name_room;
	uint64_t drops[DROP_KINDS], faults;
	uint64_t page_number;
	/* Stores what the VM of a process says that it is, "" if that is not known. NULL: no label.
	 */
	void (*runtime_of)(uint64_t pid, char *runtime, size_t size);
	struct metrics_processes processes;
};

struct metrics_settings {
	FILE *output, *messages; /* for what clauses print */
	size_t series_max;       /* rows of an aggregation on a page */
	void (*publish)(void *context, const struct metrics_page *page);
	void *publish_context;
	/* Called once for each process that metrics_writer_note_process() was not called for. NULL:
	 * rows have no label runtime. */
	void (*runtime_of)(uint64_t pid, char *runtime, size_t size);
};

/* -ENOMEM. */
int metrics_writer_init(struct metrics_writer *metrics, const struct metrics_settings *settings);

/*
 * Notes the runtime of a process, which may have ended before its rows are shown. Later calls for
 * the same process have no effect, since the labels of a row must not change.
 */
void metrics_writer_note_process(struct writer *writer, const struct event_process *process);

void metrics_writer_free(struct metrics_writer *metrics);

#endif
