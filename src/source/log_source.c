/*
 * log_source.c: the source for a recorded eventlog: a file with the bytes of a stream, perhaps
 * compressed. It never waits: batches come as fast as they are requested. The process is the
 * recorded one; what the log does not say about it is 0 or empty.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/debug.h"
#include "program/need.h"
#include "source/eventlog/eventlog.h"
#include "source/source.h"
#include "wire/log_bytes.h"
#include "wire/records.h"
#include "wire/wire_type.h"

enum { COPIED_BYTES = 1 << 20 };

struct log_source {
	struct source source;
	struct log_bytes *bytes;
	int copy; /* the decompressed bytes of a log that is not read in order; -1: none */
	bool stopped;
	bool is_seekable;
	struct eventlog *log;
	char *file;
	struct event_process *processes; /* of the events; NULL: there is only the source's */
	size_t process_count, process_capacity;
	uint64_t process_changes; /* of which they are */
};

/* Reads once. Returns false at the end of the file or if reading failed. */
static bool read_more(struct log_source *log, struct error *error, int *result)
{
	size_t room;
	void *place = eventlog_room(log->log, &room);
	const char *why;
	bool is_cut;
	ssize_t got;

	*result = 0;
	if (!place)
		return false;
	got = log_bytes_read(log->bytes, place, room, error);
	if (got < 0)
		*result = (int)got;
	if (got <= 0) {
		why = log_bytes_damage(log->bytes, &is_cut);
		if (why)
			eventlog_finish_early(log->log, why, is_cut);
		else
			eventlog_finish(log->log);
		return false;
	}
	eventlog_received(log->log, (size_t)got);
	return true;
}

/* Makes a file without a name. Returns -1 if that is not possible. */
static int open_copy(void)
{
	const char *folder = getenv("TMPDIR");
	int file = open(folder && *folder ? folder : "/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	return file >= 0 ? file : memfd_create("vmtap", MFD_CLOEXEC);
}

static bool write_all(int file, const unsigned char *bytes, size_t size)
{
	ssize_t wrote;

	for (; size; size -= (size_t)wrote, bytes += wrote) {
		do
			wrote = write(file, bytes, size);
		while (wrote < 0 && errno == EINTR);
		if (wrote < 0)
			return false;
	}
	return true;
}

/* Decompresses the log into a file, because GHC's logs are not sorted and are read at several
 * positions at once. */
static int fill_copy(struct log_source *log, struct error *error)
{
	struct log_bytes *bytes;
	unsigned char *piece = malloc(COPIED_BYTES);
	int result = piece ? log_bytes_open(log->file, &bytes, error)
			   : error_set(error, ENOMEM, "%s: out of memory", log->file);
	ssize_t got = 1;

	if (result)
		goto out;
	while (!result && (got = log_bytes_read(bytes, piece, COPIED_BYTES, error)) > 0)
		if (!write_all(log->copy, piece, (size_t)got))
			result = error_set(error, errno, "%s: its decompressed copy: %s", log->file,
				strerror(errno));
	log_bytes_close(bytes);
out:
	free(piece);
	return got < 0 ? (int)got : result;
}

/* Collects the description of the process, whose position in the log depends on the writer. */
static int learn_process(struct log_source *log, struct error *error)
{
	struct record_file file;
	struct record record;
	bool is_missing[WIRE_TYPE_COUNT];
	unsigned int missing = 0;
	int state = record_file_open(&file, log->file, error);

	for (unsigned int i = 0; i < WIRE_TYPE_COUNT; i++) {
		is_missing[i] = wire_types[i].traits & WIRE_PROCESS;
		missing += is_missing[i];
	}
	if (!state) {
		while (missing &&
			(state = record_file_next(&file, &record, error)) == RECORDS_EVENT) {
			const struct wire_type *type = wire_type_find(record.type);
			if (!type || !(type->traits & WIRE_PROCESS) ||
				!eventlog_learn(log->log, &record))
				continue;
			missing -= is_missing[type - wire_types];
			is_missing[type - wire_types] = false;
		}
	}
	record_file_close(&file);
	return state < 0 ? state : 0;
}

/* Reads the descriptions among the events: those of probes of extensions that the VM has loaded. */
static int learn_declarations(struct log_source *log, struct error *error)
{
	struct record_file file;
	struct record record;
	struct error ignored; /* damage is reported by the code that reads the events */
	int result = 0;

	if (!record_file_open(&file, log->file, &ignored))
		while (!result && record_file_next(&file, &record, &ignored) == RECORDS_EVENT)
			if (!eventlog_learn_declaration(log->log, &record))
				result = error_set(error, EPROTO, "%s", eventlog_damage(log->log));
	record_file_close(&file);
	return result;
}

static int log_enable(
	struct source *source, const struct source_request *request, struct error *error)
{
	struct log_source *log = (struct log_source *)source;

	bool stacks = source_request_needs(request) & d_need_bit(D_NEED_GUEST_STACK);
	uint32_t *probes = calloc(request->want_count + 1, sizeof(*probes));
	int result = 0;

	if (!probes)
		return error_set(error, ENOMEM, "%s: out of memory", log->file);
	if (request->tells_thread_ends)
		eventlog_want_thread_ends(log->log);
	/* the probes profile-n have addresses of it as arguments */
	stacks |= eventlog_is_sampled_by_kernel(log->log);
	if (stacks && eventlog_want_stacks(log->log, true))
		result = error_set(error, ENOMEM, "%s: out of memory", log->file);
	else if (source_request_needs(request) & d_need_bit(D_NEED_USER_STACK))
		eventlog_want_user_stacks(log->log);
	if (!result && eventlog_enable(log->log, probes, source_request_probes(request, probes), 0))
		result = error_set(error, EINVAL, "%s: its probes are not known yet", log->file);
	free(probes);
	return result;
}

/* The end marker was read: nothing must follow it. */
static enum source_state end_marked(struct log_source *log, struct error *error)
{
	bool has_more;
	uint64_t end = eventlog_end(log->log, &has_more);
	const char *why = log_bytes_rest(log->bytes, has_more, &log->source.truncated);

	if (!why)
		return SOURCE_ENDED;
	error_set(error, EPROTO, "%s: byte %" PRIu64 ": %s", log->file, end, why);
	return SOURCE_BROKEN;
}

/* Gives the batch its processes. */
static int put_processes(struct log_source *log, struct event_batch *batch, struct error *error)
{
	uint64_t changes;
	size_t count;
	const struct further_process *further = eventlog_further(log->log, &count, &changes);

	batch->processes = &log->source.process;
	batch->process_count = 1;
	if (!count)
		return 0;
	if (changes != log->process_changes) {
		if (array_room(&log->processes, &log->process_capacity, count,
			    sizeof(*log->processes)))
			return error_set(error, ENOMEM, "%s: out of memory", log->file);
		log->processes[0] = log->source.process;
		for (size_t i = 0; i < count; i++)
			log->processes[i + 1] = (struct event_process){.pid = further[i].pid,
				.ppid = further[i].ppid,
				.execname = further[i].name ? further[i].name : "",
				.arguments = further[i].arguments};
		log->process_changes = changes;
	}
	batch->processes = log->processes;
	batch->process_count = count + 1;
	return 0;
}

static enum source_state log_next(
	struct source *source, int timeout_ms, struct event_batch *batch, struct error *error)
{
	struct log_source *log = (struct log_source *)source;
	int result;

	(void)timeout_ms;
	if (log->stopped)
		return SOURCE_ENDED;
	for (;;) {
		switch (eventlog_next(log->log, batch, error)) {
		case EVENTLOG_BATCH:
			if (put_processes(log, batch, error))
				return SOURCE_BROKEN;
			source->samples = eventlog_samples(log->log);
			return SOURCE_MORE;
		case EVENTLOG_ENDED:
			debug_say(DEBUG_LOG, "%s: read to its end marker", log->file);
			return end_marked(log, error);
		case EVENTLOG_BROKEN:
			source->truncated = eventlog_truncated(log->log);
			return SOURCE_BROKEN;
		case EVENTLOG_MORE:
			break;
		}
		if (!read_more(log, error, &result) && result)
			return SOURCE_BROKEN;
	}
}

static void log_stop(struct source *source)
{
	((struct log_source *)source)->stopped = true;
}

static int log_descriptor(const struct source *source)
{
	(void)source;
	return -1;
}

static void log_close(struct source *source)
{
	struct log_source *log = (struct log_source *)source;

	log_bytes_close(log->bytes);
	if (log->copy >= 0)
		close(log->copy);
	eventlog_free(log->log);
	free(log->processes);
	free(log->file);
	free(log);
}

static const struct source_methods log_methods = {
	.enable = log_enable,
	.next = log_next,
	.stop = log_stop,
	.descriptor = log_descriptor,
	.close = log_close,
};

int source_log_add_samples(struct source *source, struct d_probe_set *set,
	const struct d_asked *asked, size_t asked_count, struct error *error)
{
	struct log_source *log = (struct log_source *)source;

	return eventlog_add_samples(log->log, set, asked, asked_count)
		? error_set(error, ENOMEM, "%s: out of memory", log->file)
		: 0;
}

int source_log_add_calls(
	struct source *source, struct d_probe_set *set, bool *has_calls, struct error *error)
{
	struct log_source *log = (struct log_source *)source;

	return eventlog_add_calls(log->log, set, has_calls)
		? error_set(error, ENOMEM, "%s: out of memory", log->file)
		: 0;
}

/* If *looks_ahead, also reads the descriptions that come later in the log, and sets it to false if
 * these are damaged. */
static int open_log(const char *file, bool *looks_ahead, struct d_probe_set *set,
	struct source **source, struct error *error)
{
	struct log_source *log = calloc(1, sizeof(*log));
	struct eventlog_settings settings = {.what = file, .file = -1, .either_form = true};
	const struct eventlog_process *process;
	int result;
	bool more = true;

	*source = NULL;
	if (!log)
		return error_set(error, ENOMEM, "%s: out of memory", file);
	log->source.methods = &log_methods;
	log->copy = -1;
	log->file = strdup(file);
	result = log_bytes_open(file, &log->bytes, error);
	if (result)
		goto out;
	/* only a seekable file can be read twice */
	log->is_seekable = log_bytes_is_file(log->bytes);
	if (log->is_seekable && log_bytes_is_compressed(log->bytes))
		settings.file = log->copy = open_copy();
	else if (log->is_seekable)
		settings.file = log_bytes_descriptor(log->bytes);
	if (!log->file || eventlog_open(&settings, &log->log)) {
		result = error_set(error, ENOMEM, "%s: out of memory", file);
		goto out;
	}
	/* the process is described before its first event */
	while (!eventlog_scan(log->log) && more)
		more = read_more(log, error, &result);
	if (result)
		goto out;
	if (!eventlog_declared(log->log)) {
		result = error_set(error, EPROTO, "%s", eventlog_damage(log->log));
		goto out;
	}
	if (settings.file >= 0 && eventlog_is_unordered(log->log))
		result = learn_process(log, error);
	if (!result && log->copy >= 0 && eventlog_is_unordered(log->log))
		result = fill_copy(log, error);
	if (!result && *looks_ahead && log->is_seekable && eventlog_has_spares(log->log)) {
		result = learn_declarations(log, error);
		*looks_ahead = !result;
	}
	if (result)
		goto out;
	process = eventlog_process(log->log);
	if (eventlog_add_probes(log->log, process->pid, process->program, set)) {
		result = error_set(error, ENOMEM, "%s: out of memory", file);
		goto out;
	}
	debug_say(DEBUG_LOG, "%s: process %" PRIu32 " (%s), %zu probes", file, process->pid,
		process->program, set->count);
	log->source.kind = SOURCE_KIND_LOG;
	log->source.provides = source_kind_provides(SOURCE_KIND_LOG);
	log->source.carried = eventlog_carried(log->log, &log->source.carried_count);
	if (eventlog_has_context(log->log))
		log->source.provides |= d_need_bit(D_NEED_CPU) | d_need_bit(D_NEED_OS_THREAD);
	if (eventlog_has_cpu_time(log->log))
		log->source.provides |= d_need_bit(D_NEED_CPU_TIME);
	if (eventlog_is_sampled_by_kernel(log->log)) {
		log->source.provides |= d_need_bit(D_NEED_USER_STACK) |
			d_need_bit(D_NEED_KERNEL_STACK) | d_need_bit(D_NEED_USER_SYMBOLS) |
			d_need_bit(D_NEED_KERNEL_SYMBOLS);
		log->source.symbols = eventlog_symbols(log->log);
	}
	log->source.recorded = true;
	log->source.start = process->start;
	log->source.wall_offset = process->wall_offset;
	log->source.process.pid = process->pid;
	log->source.process.ppid = process->ppid;
	log->source.process.execname = process->program;
	log->source.process.arguments = process->arguments;
	log->source.process.runtime = process->runtime;
	if (*process->arguments)
		log->source.provides |= d_need_bit(D_NEED_PROGRAM_ARGUMENTS);
	*source = &log->source;
	log = NULL;
out:
	if (log)
		log_close(&log->source);
	return result;
}

int source_log_open(
	const char *file, struct d_probe_set *set, struct source **source, struct error *error)
{
	size_t first = set->count;
	bool looks_ahead = true;
	int result = open_log(file, &looks_ahead, set, source, error);

	if (!result || looks_ahead)
		return result;
	d_probe_set_cut(set, first);
	return open_log(file, &looks_ahead, set, source, error);
}
