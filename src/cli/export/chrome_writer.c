/*
 * chrome_writer.c: a timeline as Chrome's trace events, which also Perfetto's viewer, speedscope
 * and others read: {"traceEvents":[...]}, an event on each line. Each track is a thread of the
 * process. Times are microseconds since the log's beginning, with all their nanoseconds.
 *
 * The end of a slice repeats what its begin says. The format does not require that, but speedscope
 * ends a slice only if both have the same name. So the texts of open slices are kept for each
 * track.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#include "base/json_text.h"
#include "cli/export/writers.h"

enum { RANK_STEP = 1 << 24 };

/* What is kept of an open slice is its name and its details as JSON, followed by this. */
struct slice_text {
	uint32_t name_length, details_length;
};

struct chrome_track {
	char *counter; /* its name; NULL: not a counter */
	char *open;    /* texts of open slices; NULL: nothing is open */
	size_t used, room;
};

struct chrome_writer {
	struct timeline_writer writer;
	FILE *output;
	uint32_t pid;
	uint64_t start;
	bool has_events;
	struct chrome_track *tracks; /* by id */
	size_t track_slots;
	FILE *text; /* writes to text_bytes */
	char *text_bytes;
	size_t text_size;
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

/* Without braces: details of a begin and of its end become one object. */
static void put_details(FILE *output, const struct timeline_detail *details, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		fprintf(output, "%s\"%s\":", i ? "," : "", details[i].name);
		if (details[i].text)
			json_text_print(details[i].text, details[i].length, output);
		else
			fprintf(output, "%" PRIu64, details[i].number);
	}
}

static void put_arguments(FILE *output, const struct timeline_detail *details, size_t count)
{
	if (!count)
		return;
	fputs(",\"args\":{", output);
	put_details(output, details, count);
	putc('}', output);
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

/* NULL: out of memory. */
static struct chrome_track *track_of(struct chrome_writer *chrome, uint32_t id)
{
	size_t slots = chrome->track_slots;

	if (array_room(&chrome->tracks, &chrome->track_slots, id, sizeof(*chrome->tracks))) {
		chrome->error = ENOMEM;
		return NULL;
	}
	memset(chrome->tracks + slots, 0, (chrome->track_slots - slots) * sizeof(*chrome->tracks));
	return &chrome->tracks[id];
}

static void keep_counter(struct chrome_writer *chrome, const struct timeline_track *track)
{
	struct chrome_track *kept = track_of(chrome, track->id);

	if (!kept)
		return;
	free(kept->counter);
	kept->counter = strdup(track->name);
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

static void put_name(FILE *output, const struct timeline_name *name)
{
	fputs(",\"name\":", output);
	json_text_print(name->text, name->length, output);
}

static char *open_end(const struct chrome_track *track)
{
	return track->open + track->used;
}

/* Keeps the text of a slice that begins. */
static void push_open(struct chrome_writer *chrome, uint32_t id, const struct slice_text *slice)
{
	size_t length = (size_t)slice->name_length + slice->details_length;
	size_t needed = length + sizeof(*slice);
	struct chrome_track *track = track_of(chrome, id);
	char *grown;

	if (!track)
		return;
	if (track->room - track->used < needed) {
		grown = realloc(track->open, 2 * track->room + needed);
		if (!grown) {
			chrome->error = ENOMEM;
			return;
		}
		track->open = grown;
		track->room = 2 * track->room + needed;
	}
	memcpy(open_end(track), chrome->text_bytes, length);
	memcpy(open_end(track) + length, slice, sizeof(*slice));
	track->used += needed;
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
	struct slice_text slice;
	FILE *output;
	int failed;

	rewind(chrome->text);
	put_name(chrome->text, mark->name);
	failed = fflush(chrome->text);
	slice.name_length = (uint32_t)chrome->text_size;
	put_details(chrome->text, mark->details, mark->detail_count);
	if (failed || fflush(chrome->text)) {
		chrome->error = ENOMEM;
		return;
	}
	slice.details_length = (uint32_t)chrome->text_size - slice.name_length;
	output = begin_event(chrome, 'B', mark->track);
	put_time(chrome, mark->time);
	fwrite(chrome->text_bytes, 1, slice.name_length, output);
	if (slice.details_length) {
		fputs(",\"args\":{", output);
		fwrite(chrome->text_bytes + slice.name_length, 1, slice.details_length, output);
		putc('}', output);
	}
	putc('}', output);
	push_open(chrome, mark->track, &slice);
	if (mark->flow_to)
		put_flow(chrome, mark, 'f', mark->flow_to);
}

static void put_end(struct timeline_writer *writer, const struct timeline_mark *mark)
{
	struct chrome_writer *chrome = chrome_of(writer);
	struct chrome_track *track = track_of(chrome, mark->track);
	struct slice_text slice = {0, 0};
	FILE *output = begin_event(chrome, 'E', mark->track);

	put_time(chrome, mark->time);
	if (track && track->used) {
		track->used -= sizeof(slice);
		memcpy(&slice, open_end(track), sizeof(slice));
		track->used -= slice.name_length + slice.details_length;
		fwrite(open_end(track), 1, slice.name_length, output);
	}
	if (slice.details_length || mark->detail_count) {
		fputs(",\"args\":{", output);
		if (slice.details_length)
			fwrite(open_end(track) + slice.name_length, 1, slice.details_length,
				output);
		if (slice.details_length && mark->detail_count)
			putc(',', output);
		put_details(output, mark->details, mark->detail_count);
		putc('}', output);
	}
	putc('}', output);
	/* threads that have ended keep no memory here */
	if (track && !track->used) {
		free(track->open);
		track->open = NULL;
		track->room = 0;
	}
}

static void put_instant(struct timeline_writer *writer, const struct timeline_mark *mark)
{
	struct chrome_writer *chrome = chrome_of(writer);

	/* an arrow can only begin at a slice, so this one is a slice of no length */
	begin_event(chrome, mark->flow_from ? 'X' : 'i', mark->track);
	put_time(chrome, mark->time);
	put_name(chrome->output, mark->name);
	fputs(mark->flow_from ? ",\"dur\":0" : ",\"s\":\"t\"", chrome->output);
	put_arguments(chrome->output, mark->details, mark->detail_count);
	putc('}', chrome->output);
	if (mark->flow_from)
		put_flow(chrome, mark, 's', mark->flow_from);
}

static void put_counter(
	struct timeline_writer *writer, uint32_t track, uint64_t time, uint64_t value)
{
	struct chrome_writer *chrome = chrome_of(writer);
	const char *name = track < chrome->track_slots ? chrome->tracks[track].counter : NULL;
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
	for (size_t i = 0; i < chrome->track_slots; i++) {
		free(chrome->tracks[i].counter);
		free(chrome->tracks[i].open);
	}
	free(chrome->tracks);
	fclose(chrome->text);
	free(chrome->text_bytes);
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
	chrome->text = open_memstream(&chrome->text_bytes, &chrome->text_size);
	if (!chrome->text) {
		free(chrome);
		return NULL;
	}
	chrome->writer.operations = &operations;
	chrome->output = output;
	return &chrome->writer;
}
