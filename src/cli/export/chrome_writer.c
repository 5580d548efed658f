/*
 * chrome_writer.c: a timeline as Chrome's trace events, which also Perfetto's viewer, speedscope
 * and others read: {"traceEvents":[...]}, an event on each line. Each track is a thread of the
 * process. Times are microseconds since the log's beginning, with all their nanoseconds.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/json_text.h"
#include "cli/export/writers.h"

enum { RANK_STEP = 1 << 24 };

struct chrome_writer {
	struct timeline_writer writer;
	FILE *output;
	uint32_t pid;
	uint64_t start;
	bool has_events;
	char **counters; /* by track: name of a counter, NULL for others */
	size_t counter_slots;
	int error;
};

static struct chrome_writer *chrome_of(struct timeline_writer *writer)
{
	return (struct chrome_writer *)writer;
}

/* Begins an event; the caller appends members and calls end_event(). */
static FILE *begin_event(struct chrome_writer *chrome, char phase, uint32_t track)
{
	fprintf(chrome->output, "%s{\"ph\":\"%c\",\"pid\":%" PRIu32 ",\"tid\":%" PRIu32,
		chrome->has_events ? ",\n" : "", phase, chrome->pid, track);
	chrome->has_events = true;
	return chrome->output;
}

static void put_time(const struct chrome_writer *chrome, uint64_t time)
{
	uint64_t since = time > chrome->start ? time - chrome->start : 0;

	fprintf(chrome->output, ",\"ts\":%" PRIu64 ".%03" PRIu64, since / 1000, since % 1000);
}

static void put_details(
	const struct chrome_writer *chrome, const struct timeline_detail *details, size_t count)
{
	if (!count)
		return;
	fputs(",\"args\":{", chrome->output);
	for (size_t i = 0; i < count; i++) {
		fprintf(chrome->output, "%s\"%s\":", i ? "," : "", details[i].name);
		if (details[i].text)
			json_text_print(details[i].text, details[i].length, chrome->output);
		else
			fprintf(chrome->output, "%" PRIu64, details[i].number);
	}
	putc('}', chrome->output);
}

static void put_metadata(
	struct chrome_writer *chrome, uint32_t track, const char *what, const char *name)
{
	FILE *output = begin_event(chrome, 'M', track);

	fprintf(output, ",\"name\":\"%s\",\"args\":{\"name\":", what);
	json_text_print(name, strlen(name), output);
	fputs("}}", output);
}

static void start(struct timeline_writer *writer, const struct timeline_process *process)
{
	struct chrome_writer *chrome = chrome_of(writer);

	chrome->pid = process->pid;
	chrome->start = process->start;
	fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[\n", chrome->output);
	put_metadata(chrome, 0, "process_name", process->name);
}

static void keep_counter(struct chrome_writer *chrome, const struct timeline_track *track)
{
	size_t slots = track->id + 16;
	char **grown;

	if (track->id >= chrome->counter_slots) {
		grown = realloc(chrome->counters, slots * sizeof(*grown));
		if (!grown) {
			chrome->error = ENOMEM;
			return;
		}
		memset(grown + chrome->counter_slots, 0,
			(slots - chrome->counter_slots) * sizeof(*grown));
		chrome->counters = grown;
		chrome->counter_slots = slots;
	}
	free(chrome->counters[track->id]);
	chrome->counters[track->id] = strdup(track->name);
}

static void put_track(struct timeline_writer *writer, const struct timeline_track *track)
{
	struct chrome_writer *chrome = chrome_of(writer);
	uint64_t rank = (uint64_t)track->kind * RANK_STEP + track->number % RANK_STEP;

	if (track->kind == TIMELINE_COUNTER) {
		keep_counter(chrome, track);
		return;
	}
	/* a thread's tracks follow each other */
	if (track->kind >= TIMELINE_THREAD)
		rank = (uint64_t)TIMELINE_THREAD * RANK_STEP +
			(track->number * 4ull + track->kind - TIMELINE_THREAD);
	put_metadata(chrome, track->id, "thread_name", track->name);
	fprintf(begin_event(chrome, 'M', track->id),
		",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":%" PRIu64 "}}", rank);
}

static void put_name(const struct chrome_writer *chrome, const struct timeline_name *name)
{
	fputs(",\"name\":", chrome->output);
	json_text_print(name->text, name->length, chrome->output);
}

/* An arrow's end belongs to the slice that begins at its time. */
static void put_flow(
	struct chrome_writer *chrome, const struct timeline_mark *mark, char phase, uint64_t flow)
{
	FILE *output = begin_event(chrome, phase, mark->track);

	put_time(chrome, mark->time);
	fprintf(output, ",\"name\":\"lock\",\"cat\":\"lock\",\"id\":%" PRIu64 "%s}", flow,
		phase == 'f' ? ",\"bp\":\"e\"" : "");
}

static void put_begin(struct timeline_writer *writer, const struct timeline_mark *mark)
{
	struct chrome_writer *chrome = chrome_of(writer);

	begin_event(chrome, 'B', mark->track);
	put_time(chrome, mark->time);
	put_name(chrome, mark->name);
	put_details(chrome, mark->details, mark->detail_count);
	putc('}', chrome->output);
	if (mark->flow_to)
		put_flow(chrome, mark, 'f', mark->flow_to);
}

static void put_end(struct timeline_writer *writer, const struct timeline_mark *mark)
{
	struct chrome_writer *chrome = chrome_of(writer);

	begin_event(chrome, 'E', mark->track);
	put_time(chrome, mark->time);
	put_details(chrome, mark->details, mark->detail_count);
	putc('}', chrome->output);
}

static void put_instant(struct timeline_writer *writer, const struct timeline_mark *mark)
{
	struct chrome_writer *chrome = chrome_of(writer);

	/* an arrow can only begin at a slice, so this one is a slice of no length */
	begin_event(chrome, mark->flow_from ? 'X' : 'i', mark->track);
	put_time(chrome, mark->time);
	put_name(chrome, mark->name);
	fputs(mark->flow_from ? ",\"dur\":0" : ",\"s\":\"t\"", chrome->output);
	put_details(chrome, mark->details, mark->detail_count);
	putc('}', chrome->output);
	if (mark->flow_from)
		put_flow(chrome, mark, 's', mark->flow_from);
}

static void put_counter(
	struct timeline_writer *writer, uint32_t track, uint64_t time, uint64_t value)
{
	struct chrome_writer *chrome = chrome_of(writer);
	const char *name = track < chrome->counter_slots ? chrome->counters[track] : NULL;
	FILE *output = begin_event(chrome, 'C', 0);

	put_time(chrome, time);
	fputs(",\"name\":", output);
	json_text_print(name ? name : "", name ? strlen(name) : 0, output);
	fprintf(output, ",\"args\":{\"bytes\":%" PRIu64 "}}", value);
}

static int finish(struct timeline_writer *writer, uint64_t time)
{
	struct chrome_writer *chrome = chrome_of(writer);
	int result = chrome->error;

	(void)time;
	fputs("\n]}\n", chrome->output);
	result = timeline_flush(chrome->output, result);
	for (size_t i = 0; i < chrome->counter_slots; i++)
		free(chrome->counters[i]);
	free(chrome->counters);
	free(chrome);
	return -result;
}

static const struct timeline_operations operations = {
	.start = start,
	.track = put_track,
	.begin = put_begin,
	.end = put_end,
	.instant = put_instant,
	.counter = put_counter,
	.finish = finish,
};

struct timeline_writer *chrome_writer_new(FILE *output)
{
	struct chrome_writer *chrome = calloc(1, sizeof(*chrome));

	if (!chrome)
		return NULL;
	chrome->writer.operations = &operations;
	chrome->output = output;
	return &chrome->writer;
}
