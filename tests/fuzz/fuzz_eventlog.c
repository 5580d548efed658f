/*
 * fuzz_eventlog.c: any bytes, in pieces of any size, for the eventlog decoder; every event
 * that it delivers is read to its last byte. The first byte sets the size of the pieces,
 * how guest stacks are read, whether the merge reads the bytes a second time, as it does with GHC's
 * files, and whether they may be a stream that a plain reader has saved.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "source/eventlog/eventlog.h"

/* Of class, method and file. */
static void consume_stack(const struct event_batch *batch, const struct event_guest_stack *stack)
{
	for (uint32_t i = 0; i < stack->count; i++) {
		for (unsigned int j = 0; j < 3; j++) {
			uint32_t offset;
			const struct text *text =
				event_text(batch, stack->frames[i].names[j], &offset);
			if (text && strlen(text->bytes + offset) != text->length - offset)
				abort();
		}
	}
}

static void consume(const struct event_batch *batch)
{
	for (size_t i = 0; batch->captures && i < batch->event_count; i++)
		consume_stack(batch, &batch->captures[i].guest);
	for (size_t i = 0; i < batch->event_count; i++) {
		const struct event *event = &batch->events[i];
		for (unsigned int j = 0; j < event->argument_count; j++) {
			uint32_t offset;
			const struct text *text = event_text(batch, event->arguments[j], &offset);
			if (text && strlen(text->bytes + offset) != text->length - offset)
				abort();
		}
	}
	for (size_t i = 0; i < batch->loss_count; i++)
		if (!batch->losses[i].count)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct eventlog_settings settings = {.what = "fuzz", .file = -1};
	struct d_probe_set set;
	struct eventlog *log;
	struct event_batch batch = {0};
	enum eventlog_state state;
	struct error error;
	size_t room, piece;
	void *place;
	uint32_t probes[256];
	static int file = -1;
	bool is_file;

	if (!size)
		return 0;
	is_file = *data & 1;
	settings.either_form = *data & 2;
	piece = 1 + (size_t)*data++ * 16;
	size--;
	/* one file for all inputs: the rest of a longer earlier input is after the end */
	if (is_file && file < 0)
		file = memfd_create("fuzz", 0);
	if (is_file &&
		(pwrite(file, data, size, 0) != (ssize_t)size || ftruncate(file, (off_t)size)))
		return 0;
	if (is_file)
		settings.file = file;
	if (d_probe_set_init(&set) || eventlog_open(&settings, &log))
		return 0;
	for (;;) {
		if (eventlog_scan(log)) {
			size_t count = 0;
			if (eventlog_add_probes(log, 1, "fuzz", &set))
				abort();
			for (size_t i = 0; i < set.count && count < 256; i++)
				if (set.probes[i].kind == D_PROBE_SOURCE && i % 7 != 3)
					probes[count++] = (uint32_t)i;
			/* the pieces' size also says how stacks are read */
			if ((piece & 32 && eventlog_want_stacks(log, piece & 64)) ||
				eventlog_enable(log, probes, count, 0))
				abort();
		}
		state = eventlog_next(log, &batch, &error);
		if (state == EVENTLOG_BATCH)
			consume(&batch);
		else if (state != EVENTLOG_MORE)
			break;
		else if (!size)
			eventlog_finish(log);
		else if ((place = eventlog_room(log, &room))) {
			room = room < piece ? room : piece;
			room = room < size ? room : size;
			memcpy(place, data, room);
			eventlog_received(log, room);
			data += room;
			size -= room;
		}
	}
	eventlog_free(log);
	d_probe_set_free(&set);
	return 0;
}
