/*
 * page_writer.c: a timeline as one HTML page that needs nothing else: page.html with the data in
 * it. The page has the timeline, a flame graph, the distribution of pauses and the heap over time.
 *
 * A page is for looking at, so it has at most SLICES_MAX slices: when there are more, the quantum
 * doubles, and slices that are shorter follow each other as one that says how many they were. The
 * flame graph and the distribution of pauses are made of all slices. What is left out is counted.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#include "base/json_text.h"
#include "cli/export/page.h"
#include "cli/export/writers.h"
#include "cli/flame/call_tree.h"

enum {
	SLICES_MAX = 1 << 20,
	SLICES_LEFT = SLICES_MAX / 4 * 3, /* at most, after the quantum was doubled */
	DEPTH_MAX = 250,                  /* deeper slices are left out of the timeline */
	POINTS_MAX = 1 << 14,             /* of a counter */
	INSTANTS_MAX = 1 << 15,
	FLOWS_MAX = 1 << 14,
	NAMES_MAX = 1 << 18,
	TRACKS_MAX = 2000, /* of threads, whose slices are shown */
	NOTE_MAX = 512,
	BUCKETS = 64
};

/* Frames of the flame graph that take a smaller share are left out. */
#define FLAME_SHARE 20000

struct slice {
	uint64_t start, duration;
	uint32_t track, name, note;
	uint32_t count; /* of slices, if it stands for several */
	uint16_t depth;
};

struct open_slice {
	uint64_t start;
	uint32_t name, note;
	uint32_t node;  /* of the flame graph's tree */
	uint64_t inner; /* time of the slices within it */
};

struct page_track {
	enum timeline_kind kind;
	uint32_t number;
	char *name;
	struct open_slice *open;
	uint32_t depth;
	size_t capacity;
	uint32_t *last;   /* by depth: 1 + index of the last slice, 0: none */
	bool is_hidden;   /* there are too many tracks to show its slices */
	uint64_t *points; /* of a counter: time, value */
	size_t point_count;
	uint64_t step, skipped; /* points that are kept: one of each `step` */
};

struct page_instant {
	uint64_t time;
	uint32_t track, name;
};

struct page_flow {
	uint64_t time;
	uint32_t from, to;
};

struct page_writer {
	struct timeline_writer writer;
	FILE *output;
	uint64_t start, quantum;
	uint32_t pid;
	char *process;
	struct page_track **tracks; /* by id */
	size_t track_slots, thread_tracks;
	struct slice *slices;
	size_t slice_count;
	struct page_instant *instants;
	size_t instant_count, flow_count;
	struct page_flow *flows;
	uint64_t left_out; /* instants, and slices that are too deep */
	struct call_tree tree;
	uint64_t pauses[BUCKETS], pause_count, pause_total, pause_longest;
	int error;
};

static struct page_writer *page_of(struct timeline_writer *writer)
{
	return (struct page_writer *)writer;
}

static void fail(struct page_writer *page)
{
	if (!page->error)
		page->error = ENOMEM;
}

static struct page_track *track_of(struct page_writer *page, uint32_t id)
{
	return id < page->track_slots ? page->tracks[id] : NULL;
}

static uint64_t since(const struct page_writer *page, uint64_t time)
{
	return time > page->start ? time - page->start : 0;
}

/* The number of a text; 0 if there are too many. */
static uint32_t intern(struct page_writer *page, const char *text, size_t length)
{
	if (page->tree.name_count >= NAMES_MAX)
		return 0;
	return call_tree_name(&page->tree, text, length);
}

static void start(struct timeline_writer *writer, const struct timeline_process *process)
{
	struct page_writer *page = page_of(writer);

	page->start = process->start;
	page->pid = process->pid;
	page->process = strdup(process->name);
}

static void put_track(struct timeline_writer *writer, const struct timeline_track *track)
{
	struct page_writer *page = page_of(writer);
	size_t slots = page->track_slots;

	if (array_room(&page->tracks, &page->track_slots, track->id, sizeof(struct page_track *))) {
		fail(page);
		return;
	}
	memset(page->tracks + slots, 0, (page->track_slots - slots) * sizeof(struct page_track *));
	if (!page->tracks[track->id]) {
		page->tracks[track->id] = calloc(1, sizeof(struct page_track));
		if (!page->tracks[track->id]) {
			fail(page);
			return;
		}
		page->tracks[track->id]->is_hidden =
			track->kind >= TIMELINE_THREAD && page->thread_tracks++ >= TRACKS_MAX;
	}
	page->tracks[track->id]->kind = track->kind;
	page->tracks[track->id]->number = track->number;
	page->tracks[track->id]->step = 1;
	free(page->tracks[track->id]->name);
	page->tracks[track->id]->name = strdup(track->name);
}

/* ---- slices ---- */

/* Adds a slice, or, if it is short, makes the short ones before it longer. */
static void keep(struct page_writer *page, const struct slice *slice)
{
	struct page_track *track = page->tracks[slice->track];
	uint32_t last = track->last[slice->depth];
	struct slice *before = last ? &page->slices[last - 1] : NULL;
	uint64_t end = slice->start + slice->duration;

	if (before && slice->duration < page->quantum &&
		(before->count > 1 || before->duration < page->quantum) &&
		slice->start - (before->start + before->duration) < page->quantum &&
		end - before->start < page->quantum * 4) {
		before->count += slice->count;
		before->duration = end - before->start;
		if (before->name != slice->name)
			before->name = 0;
		before->note = 0;
		return;
	}
	page->slices[page->slice_count++] = *slice;
	track->last[slice->depth] = (uint32_t)page->slice_count;
}

static void forget_last(struct page_writer *page)
{
	for (size_t i = 0; i < page->track_slots; i++)
		if (page->tracks[i] && page->tracks[i]->last)
			memset(page->tracks[i]->last, 0, DEPTH_MAX * sizeof(uint32_t));
}

static void coarsen(struct page_writer *page)
{
	while (page->slice_count > SLICES_LEFT) {
		size_t count = page->slice_count;

		page->quantum = page->quantum ? page->quantum * 2 : 64;
		forget_last(page);
		page->slice_count = 0;
		for (size_t i = 0; i < count; i++) {
			struct slice slice = page->slices[i];
			keep(page, &slice);
		}
		/* many lanes with few slices each: nothing is left to join */
		if (page->quantum > UINT64_MAX / 16) {
			page->left_out += page->slice_count - SLICES_LEFT;
			page->slice_count = SLICES_LEFT;
			forget_last(page);
			page->quantum = UINT64_C(1) << 40;
		}
	}
}

static uint32_t note_of(struct page_writer *page, const struct timeline_mark *mark)
{
	char text[NOTE_MAX];
	size_t length = 0;

	for (size_t i = 0; i < mark->detail_count && length + 1 < sizeof(text); i++) {
		const struct timeline_detail *detail = &mark->details[i];
		const char *separator = length ? ", " : "";
		int printed = detail->text
			? snprintf(text + length, sizeof(text) - length, "%s%s: %.*s", separator,
				  detail->name, (int)detail->length, detail->text)
			: snprintf(text + length, sizeof(text) - length, "%s%s: %" PRIu64,
				  separator, detail->name, detail->number);
		length += (size_t)printed;
		if (length >= sizeof(text))
			length = sizeof(text) - 1;
	}
	return length ? intern(page, text, length) : 0;
}

static void put_begin(struct timeline_writer *writer, const struct timeline_mark *mark)
{
	struct page_writer *page = page_of(writer);
	struct page_track *track = track_of(page, mark->track);
	struct open_slice *open;
	uint32_t node = 0;

	if (!track)
		return;
	if (array_room(&track->open, &track->capacity, track->depth, sizeof(*open))) {
		fail(page);
		return;
	}
	open = &track->open[track->depth++];
	*open = (struct open_slice){.start = since(page, mark->time),
		.name = intern(page, mark->name->text, mark->name->length),
		.note = note_of(page, mark)};
	if (track->kind == TIMELINE_CALLS) {
		if (track->depth > 1)
			node = open[-1].node;
		node = open->name && node != UINT32_MAX
			? call_tree_child(&page->tree, node, open->name)
			: UINT32_MAX;
		open->node = node;
	}
	if (mark->flow_to && page->flow_count && page->flow_count < FLOWS_MAX &&
		page->flows[page->flow_count - 1].time == mark->time)
		page->flows[page->flow_count - 1].to = mark->track;
}

static void count_pause(struct page_writer *page, uint64_t duration)
{
	unsigned int bucket = 0;

	while (bucket + 1 < BUCKETS && duration >> (bucket + 1))
		bucket++;
	page->pauses[bucket]++;
	page->pause_count++;
	page->pause_total += duration;
	if (duration > page->pause_longest)
		page->pause_longest = duration;
}

static bool is_pause(const struct page_writer *page, uint32_t name)
{
	const struct call_frame_name *text = &page->tree.names[name];

	return name && text->length >= 6 && !memcmp(text->text, "pause:", 6);
}

static void put_end(struct timeline_writer *writer, const struct timeline_mark *mark)
{
	struct page_writer *page = page_of(writer);
	struct page_track *track = track_of(page, mark->track);
	struct open_slice *open;
	struct slice slice;

	if (!track || !track->depth)
		return;
	open = &track->open[--track->depth];
	slice = (struct slice){.start = open->start,
		.duration = since(page, mark->time) - open->start,
		.track = mark->track,
		.name = open->name,
		.note = mark->detail_count ? note_of(page, mark) : open->note,
		.count = 1,
		.depth = (uint16_t)(track->depth < DEPTH_MAX ? track->depth : 0)};
	if (track->depth)
		open[-1].inner += slice.duration;
	if (track->kind == TIMELINE_CALLS && open->node != UINT32_MAX)
		page->tree.nodes[open->node].self += slice.duration - open->inner;
	if (track->kind == TIMELINE_PAUSES && is_pause(page, slice.name))
		count_pause(page, slice.duration);
	if (!track->last)
		track->last = calloc(DEPTH_MAX, sizeof(*track->last));
	if (track->depth >= DEPTH_MAX || track->is_hidden || !track->last) {
		page->left_out++;
		return;
	}
	keep(page, &slice);
	if (page->slice_count == SLICES_MAX)
		coarsen(page);
}

static void put_instant(struct timeline_writer *writer, const struct timeline_mark *mark)
{
	struct page_writer *page = page_of(writer);

	if (mark->flow_from && page->flow_count < FLOWS_MAX)
		page->flows[page->flow_count++] =
			(struct page_flow){mark->time, mark->track, mark->track};
	if (page->instant_count == INSTANTS_MAX) {
		page->left_out++;
		return;
	}
	page->instants[page->instant_count++] = (struct page_instant){since(page, mark->time),
		mark->track, intern(page, mark->name->text, mark->name->length)};
}

/* When a counter has too many points, every second one goes. */
static void put_counter(struct timeline_writer *writer, uint32_t id, uint64_t time, uint64_t value)
{
	struct page_writer *page = page_of(writer);
	struct page_track *track = track_of(page, id);

	if (!track)
		return;
	if (!track->points)
		track->points = calloc(2 * POINTS_MAX, sizeof(*track->points));
	if (!track->points) {
		fail(page);
		return;
	}
	if (++track->skipped < track->step)
		return;
	track->skipped = 0;
	if (track->point_count == POINTS_MAX) {
		for (size_t i = 0; i < POINTS_MAX / 2; i++)
			memcpy(&track->points[2 * i], &track->points[4 * i],
				2 * sizeof(*track->points));
		track->point_count /= 2;
		track->step *= 2;
	}
	track->points[2 * track->point_count] = since(page, time);
	track->points[2 * track->point_count + 1] = value;
	track->point_count++;
}

/* ---- the data ---- */

static void print_text(const char *text, FILE *output)
{
	json_text_print(text ? text : "", text ? strlen(text) : 0, output);
}

/* For each track its slices: depth, start since the one before, duration, name, note, count. */
static void print_tracks(const struct page_writer *page)
{
	FILE *output = page->output;
	size_t *firsts = calloc(page->track_slots + 2, sizeof(*firsts));
	const struct slice **order = malloc((page->slice_count + 1) * sizeof(*order));
	bool is_first = true;

	fputs("\"tracks\":[", output);
	if (firsts && order) {
		for (size_t i = 0; i < page->slice_count; i++)
			firsts[page->slices[i].track + 1]++;
		for (size_t i = 1; i < page->track_slots + 2; i++)
			firsts[i] += firsts[i - 1];
		for (size_t i = 0; i < page->slice_count; i++)
			order[firsts[page->slices[i].track]++] = &page->slices[i];
	}
	for (size_t id = 0, at = 0; firsts && order && id < page->track_slots; id++) {
		const struct page_track *track = page->tracks[id];
		uint64_t before = 0;
		if (!track || track->is_hidden)
			continue;
		fprintf(output, "%s\n{\"id\":%zu,\"kind\":%d,\"number\":%" PRIu32 ",\"name\":",
			is_first ? "" : ",", id, (int)track->kind, track->number);
		is_first = false;
		print_text(track->name, output);
		fputs(",\"slices\":[", output);
		for (size_t first = at; at < firsts[id]; at++) {
			const struct slice *slice = order[at];
			fprintf(output,
				"%s%u,%" PRId64 ",%" PRIu64 ",%" PRIu32 ",%" PRIu32 ",%" PRIu32,
				at > first ? "," : "", slice->depth,
				(int64_t)(slice->start - before), slice->duration, slice->name,
				slice->note, slice->count);
			before = slice->start;
		}
		fputs("],\"points\":[", output);
		for (size_t i = 0; i < 2 * track->point_count; i++)
			fprintf(output, "%s%" PRIu64, i ? "," : "", track->points[i]);
		fputs("]}", output);
	}
	fputs("]", output);
	free(firsts);
	free(order);
}

static void print_rest(struct page_writer *page, uint64_t end)
{
	FILE *output = page->output;
	size_t shown_count, printed = 0;
	struct call_shown *shown = call_tree_show(&page->tree, NULL, &shown_count);
	uint32_t *numbers = calloc(shown_count + 1, sizeof(*numbers));

	fputs(",\n\"instants\":[", output);
	for (size_t i = 0; i < page->instant_count; i++)
		fprintf(output, "%s%" PRIu32 ",%" PRIu64 ",%" PRIu32, i ? "," : "",
			page->instants[i].track, page->instants[i].time, page->instants[i].name);
	fputs("],\n\"flows\":[", output);
	for (size_t i = 0; i < page->flow_count; i++)
		fprintf(output, "%s%" PRIu32 ",%" PRIu32 ",%" PRIu64, i ? "," : "",
			page->flows[i].from, page->flows[i].to, since(page, page->flows[i].time));
	/* parent's number, name, total */
	fputs("],\n\"flame\":[", output);
	for (size_t i = 0; shown && numbers && i < shown_count; i++) {
		if (shown[i].total * FLAME_SHARE < shown[0].total || (i && !shown[i].total))
			continue;
		numbers[i] = (uint32_t)printed;
		fprintf(output, "%s%" PRIu32 ",%" PRIu32 ",%" PRIu64, printed ? "," : "",
			numbers[shown[i].parent], shown[i].name, shown[i].total);
		printed++;
	}
	fputs("],\n\"pauses\":[", output);
	for (unsigned int i = 0; i < BUCKETS; i++)
		fprintf(output, "%s%" PRIu64, i ? "," : "", page->pauses[i]);
	fprintf(output,
		"],\n\"pause\":{\"count\":%" PRIu64 ",\"total\":%" PRIu64 ",\"longest\":%" PRIu64
		"},\n\"duration\":%" PRIu64 ",\"quantum\":%" PRIu64 ",\"left_out\":%" PRIu64
		",\n\"names\":[\"\"",
		page->pause_count, page->pause_total, page->pause_longest, since(page, end),
		page->quantum, page->left_out);
	for (uint32_t i = 1; i < page->tree.name_count; i++) {
		putc_unlocked(',', output);
		json_text_print(page->tree.names[i].text, page->tree.names[i].length, output);
	}
	putc(']', output);
	free(shown);
	free(numbers);
}

static void free_page(struct page_writer *page)
{
	for (size_t i = 0; i < page->track_slots; i++) {
		if (!page->tracks[i])
			continue;
		free(page->tracks[i]->name);
		free(page->tracks[i]->open);
		free(page->tracks[i]->last);
		free(page->tracks[i]->points);
		free(page->tracks[i]);
	}
	call_tree_free(&page->tree);
	free(page->tracks);
	free(page->slices);
	free(page->instants);
	free(page->flows);
	free(page->process);
	free(page);
}

static int finish(struct timeline_writer *writer, uint64_t end)
{
	static const char mark[] = "/*DATA*/";
	struct page_writer *page = page_of(writer);
	const char *text = page_texts[0].text, *place = strstr(text, mark);
	int result = page->error;

	if (!result) {
		errno = 0;
		fwrite(text, 1, (size_t)(place - text), page->output);
		fprintf(page->output, "{\"pid\":%" PRIu32 ",\"process\":", page->pid);
		print_text(page->process, page->output);
		fputs(",\n", page->output);
		print_tracks(page);
		print_rest(page, end);
		fputs("}\n", page->output);
		fputs(place + strlen(mark), page->output);
		result = timeline_flush(page->output, 0);
	}
	free_page(page);
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

struct timeline_writer *page_writer_new(FILE *output)
{
	struct page_writer *page = calloc(1, sizeof(*page));

	if (!page)
		return NULL;
	page->writer.operations = &operations;
	page->output = output;
	page->slices = malloc(SLICES_MAX * sizeof(*page->slices));
	page->instants = malloc(INSTANTS_MAX * sizeof(*page->instants));
	page->flows = malloc(FLOWS_MAX * sizeof(*page->flows));
	if (call_tree_init(&page->tree) || !page->slices || !page->instants || !page->flows) {
		free_page(page);
		return NULL;
	}
	return &page->writer;
}
