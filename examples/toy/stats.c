/*
 * stats.c: prints the counters and writes the event log.
 *
 * A recorder formats each event as one line "probe-name argument ...": integers in
 * decimal, strings quoted, with \" \\ and \xNN inside. --stats-by uses the same text of
 * those arguments that form an event's key. Buffers are written when full and at the end,
 * always whole lines. A log that cannot be written is reported once.
 */
#include "process.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

#define RECORD_BYTES 65536u

struct key_count {
	struct key_count *next;
	uint64_t count;
	uint64_t sum;
	uint32_t hash;
	enum event event;
	size_t length;
	char text[];
};

struct event_recorder {
	int fd;
	bool by_key;
	int error;
	size_t used;
	size_t key_used;
	uint64_t sum;
	size_t bucket_count;
	size_t key_count;
	struct key_count **buckets;
	char buffer[RECORD_BYTES];
	char key[RECORD_BYTES];
};

static const struct {
	const char *name;
	const char *types;
	const char *key;
	const char *sum;
} events[EVENT_COUNT] = {
#define X(macro, name, types, key, sum) {name, types, key, sum},
	EVENTS(X)
#undef X
};

struct event_recorder *event_recorder_new(int log_fd, bool by_key)
{
	struct event_recorder *recorder = calloc(1, sizeof(*recorder));

	if (!recorder)
		return NULL;
	recorder->fd = log_fd;
	recorder->by_key = by_key;
	recorder->bucket_count = 256;
	recorder->buckets = calloc(recorder->bucket_count, sizeof(*recorder->buckets));
	if (!recorder->buckets) {
		free(recorder);
		return NULL;
	}
	return recorder;
}

int event_recorder_flush(struct event_recorder *recorder)
{
	size_t done = 0;

	while (recorder->fd >= 0 && done < recorder->used) {
		ssize_t written =
			write(recorder->fd, recorder->buffer + done, recorder->used - done);

		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0) {
			recorder->error = -errno;
			break;
		}
		done += (size_t)written;
	}
	recorder->used = 0;
	return recorder->error;
}

void event_recorder_free(struct event_recorder *recorder)
{
	if (!recorder)
		return;
	for (size_t i = 0; i < recorder->bucket_count; i++) {
		while (recorder->buckets[i]) {
			struct key_count *next = recorder->buckets[i]->next;

			free(recorder->buckets[i]);
			recorder->buckets[i] = next;
		}
	}
	free(recorder->buckets);
	free(recorder);
}

/* Doubles the number of buckets; if there is no memory, the chains just get longer. */
static void grow_buckets(struct event_recorder *recorder)
{
	size_t count = recorder->bucket_count * 2;
	struct key_count **buckets = calloc(count, sizeof(*buckets));

	if (!buckets)
		return;
	for (size_t i = 0; i < recorder->bucket_count; i++) {
		while (recorder->buckets[i]) {
			struct key_count *entry = recorder->buckets[i];

			recorder->buckets[i] = entry->next;
			entry->next = buckets[entry->hash & (count - 1)];
			buckets[entry->hash & (count - 1)] = entry;
		}
	}
	free(recorder->buckets);
	recorder->buckets = buckets;
	recorder->bucket_count = count;
}

static void count_key(struct event_recorder *recorder, enum event event, uint64_t count)
{
	uint32_t hash =
		hash_bytes(recorder->key, recorder->key_used) ^ (uint32_t)event * 2654435761u;
	struct key_count *entry = recorder->buckets[hash & (recorder->bucket_count - 1)];

	while (entry &&
		(entry->event != event || entry->length != recorder->key_used ||
			memcmp(entry->text, recorder->key, entry->length) != 0))
		entry = entry->next;
	if (!entry) {
		entry = malloc(sizeof(*entry) + recorder->key_used);
		if (!entry) {
			recorder->error = -ENOMEM;
			return;
		}
		if (++recorder->key_count > recorder->bucket_count)
			grow_buckets(recorder);
		entry->event = event;
		entry->hash = hash;
		entry->count = 0;
		entry->sum = 0;
		entry->length = recorder->key_used;
		memcpy(entry->text, recorder->key, recorder->key_used);
		entry->next = recorder->buckets[hash & (recorder->bucket_count - 1)];
		recorder->buckets[hash & (recorder->bucket_count - 1)] = entry;
	}
	entry->count += count;
	entry->sum += recorder->sum;
}

/* Each argument has room for RECORD_BYTES / 4; a longer text is cut. */
static size_t put_text(char *out, const char *text)
{
	size_t used = 0;

	out[used++] = '"';
	for (; *text && used < RECORD_BYTES / 8; text++) {
		unsigned char c = (unsigned char)*text;

		if (c == '"' || c == '\\') {
			out[used++] = '\\';
			out[used++] = (char)c;
		} else if (c < ' ' || c == 127) {
			used += (size_t)sprintf(out + used, "\\x%02x", c);
		} else {
			out[used++] = (char)c;
		}
	}
	out[used++] = '"';
	return used;
}

void event_record(struct event_recorder *recorder, enum event event, ...)
{
	const char *types = events[event].types;
	char *start;
	va_list arguments;

	if (recorder->used > RECORD_BYTES / 8)
		event_recorder_flush(recorder);
	start = recorder->buffer + recorder->used;
	start += sprintf(start, "%s", events[event].name);
	recorder->key_used = 0;
	recorder->sum = 0;
	va_start(arguments, event);
	for (int i = 0; types[i]; i++) {
		char *argument;
		uint64_t number = 0;

		*start++ = ' ';
		argument = start;
		switch (types[i]) {
		case 'u':
			number = va_arg(arguments, unsigned);
			start += sprintf(start, "%llu", (unsigned long long)number);
			break;
		case 'U':
			number = va_arg(arguments, uint64_t);
			start += sprintf(start, "%llu", (unsigned long long)number);
			break;
		case 'i':
			start += sprintf(start, "%d", va_arg(arguments, int));
			break;
		case 'l':
			start += sprintf(start, "%ld", va_arg(arguments, long));
			break;
		case 'n':
			start += put_text(start, va_arg(arguments, struct vmtap_name *)->text);
			break;
		default:
			start += put_text(start, va_arg(arguments, const char *));
			break;
		}
		if (!recorder->by_key)
			continue;
		if (events[event].sum[0] == '0' + i)
			recorder->sum = number;
		if (strchr(events[event].key, '0' + i)) {
			if (recorder->key_used)
				recorder->key[recorder->key_used++] = ',';
			memcpy(recorder->key + recorder->key_used, argument,
				(size_t)(start - argument));
			recorder->key_used += (size_t)(start - argument);
		}
	}
	va_end(arguments);
	*start++ = '\n';
	if (recorder->fd >= 0)
		recorder->used = (size_t)(start - recorder->buffer);
	if (recorder->by_key)
		count_key(recorder, event, 1);
}

void stats_print(const struct process *process, FILE *out, bool json)
{
	uint64_t guards = 0;

	if (json)
		fputc('{', out);
	for (int event = 0; event < EVENT_COUNT; event++) {
		uint64_t count = 0;

		for (struct vm *vm = process->instances; vm; vm = vm->next_instance)
			for (uint16_t i = 0; i < vm->cap_count; i++)
				count += vm->caps[i].counts[event];
		guards += count;
		if (json)
			fprintf(out, "\"%s\": %llu, ", events[event].name,
				(unsigned long long)count);
		else
			fprintf(out, "%-20s %12llu\n", events[event].name,
				(unsigned long long)count);
	}
	/* Each EVENT executes one guard. */
	fprintf(out, json ? "\"guards\": %llu}\n" : "guards               %12llu\n",
		(unsigned long long)guards);
}

/* The texts in a key are quoted as in the log, except that \xNN becomes \u00NN for JSON. */
static void print_json_key(FILE *out, const struct key_count *entry)
{
	fputc('[', out);
	for (size_t i = 0; i < entry->length; i++) {
		if (entry->text[i] == '\\' && i + 1 < entry->length && entry->text[i + 1] == 'x') {
			fputs("\\u00", out);
			i++;
		} else if (entry->text[i] == '\\' && i + 1 < entry->length) {
			fputc('\\', out);
			fputc(entry->text[++i], out);
		} else {
			fputc(entry->text[i], out);
		}
	}
	fputc(']', out);
}

static void add_keys(struct event_recorder *total, const struct event_recorder *recorder)
{
	for (size_t bucket = 0; bucket < recorder->bucket_count; bucket++) {
		struct key_count *entry = recorder->buckets[bucket];

		for (; entry; entry = entry->next) {
			memcpy(total->key, entry->text, entry->length);
			total->key_used = entry->length;
			total->sum = entry->sum;
			count_key(total, entry->event, entry->count);
		}
	}
}

int stats_print_by_key(const struct process *process, FILE *out)
{
	struct event_recorder *total = event_recorder_new(-1, true);
	int error = total ? 0 : -ENOMEM;

	for (struct vm *vm = process->instances; vm; vm = vm->next_instance) {
		for (uint16_t i = 0; !error && i < vm->cap_count; i++) {
			add_keys(total, vm->caps[i].recorder);
			error = vm->caps[i].recorder->error;
		}
	}
	for (size_t bucket = 0; !error && bucket < total->bucket_count; bucket++) {
		for (struct key_count *entry = total->buckets[bucket]; entry; entry = entry->next) {
			fprintf(out, "{\"probe\": \"%s\", \"key\": ", events[entry->event].name);
			print_json_key(out, entry);
			fprintf(out, ", \"count\": %llu", (unsigned long long)entry->count);
			if (*events[entry->event].sum)
				fprintf(out, ", \"sum\": %llu", (unsigned long long)entry->sum);
			fputs("}\n", out);
		}
	}
	event_recorder_free(total);
	return error;
}
