/*
 * make_log.c: converts a text to an eventlog file, so that a test can determine exactly which
 * events a script sees.
 *     make_log CONTRACT.d EVENTS OUTPUT
 * Event types and their layouts come from the contract (probes/vm.d). Each line of EVENTS is
 * one of:
 *     # a comment
 *     provider NAME                   a compatible provider that the VM has opted in to;
 *                                     before all other lines
 *     process PID PPID PROGRAM        the traced process, first (default: 1234 1 toy)
 *     clock MONOTONIC REALTIME        the stream's time 0, in ns (default: 1000000000 both)
 *     block CAP                       the capability of the events that follow
 *     context TID CPU                 of the events that follow in this block
 *     name ID "text"                  defines, or redefines, a name
 *     TIME PROBE ARGUMENT...          an event at TIME ns (suffixes us, ms, s): numbers,
 *                                     and "text" for strings; a first argument cap is taken
 *                                     from the block and not given. A name is defined when it
 *                                     is first used; #ID uses one that "name" defined.
 *     loss PROBE COUNT [SINCE UNTIL]  lost events of a probe (default: at time 0)
 *     watermark TIME
 *     end                             the end marker; without it the log is truncated
 *     raw HEX...                      these bytes
 * Blocks are written in the order of the lines: events need not be in time order.
 */
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/error.h"
#include "contract/contract.h"
#include "contract/known.h"
#include "wire/wire.h"

enum { WORDS_MAX = 32, NAMES_MAX = 4096, COMPATS_MAX = 8 };

struct buffer {
	unsigned char *bytes;
	size_t length, capacity;
};

struct maker {
	const char *file;
	int line;
	const struct contract_provider *provider;
	struct buffer out, block;
	struct contract *compats[COMPATS_MAX];
	size_t compat_count;
	bool has_header, in_block, has_process, has_clock;
	uint16_t cap;
	char *names[NAMES_MAX]; /* by id: names defined when they were first used */
	size_t name_count;
};

static __attribute__((noreturn, format(printf, 2, 3))) void fail(
	const struct maker *maker, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	fprintf(stderr, "make_log: %s: line %d: ", maker->file, maker->line);
	vfprintf(stderr, format, arguments);
	fputc('\n', stderr);
	exit(1);
}

static void put_bytes(struct buffer *buffer, const void *bytes, size_t length)
{
	if (buffer->length + length > buffer->capacity) {
		buffer->capacity = (buffer->length + length) * 2 + 4096;
		buffer->bytes = realloc(buffer->bytes, buffer->capacity);
		if (!buffer->bytes)
			exit(1);
	}
	if (length)
		memcpy(buffer->bytes + buffer->length, bytes, length);
	buffer->length += length;
}

static void put(struct buffer *buffer, uint64_t value, unsigned int size)
{
	unsigned char bytes[8];

	bytes_put(bytes, value, size);
	put_bytes(buffer, bytes, size);
}

static uint16_t event_type(const struct contract_provider *provider, size_t index)
{
	const struct contract_probe *probe = &provider->probes[index];

	for (unsigned int i = 0; i < probe->eventlog_count; i++)
		if (probe->eventlogs[i].complete && probe->eventlogs[i].type != WIRE_STOP_THREAD)
			return probe->eventlogs[i].type;
	return (uint16_t)(WIRE_PROBES + index);
}

static bool is_cap(const struct contract_probe *probe, size_t index)
{
	return index == 0 && !strcmp(probe->arguments[0].name, "cap");
}

/* ---- header ---- */

static void declare(
	struct buffer *out, uint16_t type, uint16_t size, const char *text, const char *extension)
{
	put(out, WIRE_TYPE_BEGIN, 4);
	put(out, type, 2);
	put(out, size, 2);
	put(out, strlen(text), 4);
	put_bytes(out, text, strlen(text));
	put(out, strlen(extension), 4);
	put_bytes(out, extension, strlen(extension));
	put(out, WIRE_TYPE_END, 4);
}

/* The extension's lines for the compatible probes that an event fires; the caller frees them. */
static char *extension_of(const struct maker *maker, size_t event)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct error error;

	for (size_t i = 0; out && i < maker->compat_count; i++) {
		const struct contract_provider *provider = &maker->compats[i]->providers[0];
		for (size_t j = 0; j < provider->probe_count; j++) {
			struct contract_mapping mapping;
			char *line;
			if (contract_map(maker->compats[i], &provider->probes[j], maker->provider,
				    &mapping, &error))
				fail(maker, "%s", error.text);
			if (mapping.event != event)
				continue;
			line = contract_compat_line(
				provider, &provider->probes[j], maker->provider, &mapping);
			fprintf(out, "%s\n", line ? line : "");
			free(line);
		}
	}
	if (!out || fclose(out))
		fail(maker, "out of memory");
	return text;
}

static void put_header(struct maker *maker)
{
	static const struct {
		uint16_t type, size;
		const char *text;
	} own[] = {
		{WIRE_BLOCK_MARKER, 14, "Block marker"},
		{WIRE_PROGRAM_ARGS, WIRE_VARIABLE, "Program arguments"},
		{WIRE_OSPROCESS_PID, 8, "Process ID"},
		{WIRE_OSPROCESS_PPID, 8, "Parent process ID"},
		{WIRE_CONTEXT, 12, "OS thread and cpu"},
		{WIRE_NAME, WIRE_VARIABLE, "Name"},
		{WIRE_LOSS, 18, "Lost events"},
		{WIRE_WATERMARK, 8, "Watermark"},
		{WIRE_CLOCK, 16, "Clock"},
		{WIRE_SUBSCRIBED, 4, "Subscribed"},
		{999, 4, "A type that no reader knows"},
	};
	const struct contract_provider *provider = maker->provider;

	put(&maker->out, WIRE_HEADER_BEGIN, 4);
	put(&maker->out, WIRE_TYPES_BEGIN, 4);
	for (size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++)
		declare(&maker->out, own[i].type, own[i].size, own[i].text, "");
	for (size_t i = 0; i < provider->probe_count; i++) {
		const struct contract_probe *probe = &provider->probes[i];
		char text[1024], *extension = extension_of(maker, i);
		int at = snprintf(text, sizeof(text), "vm:::%s(", probe->name);
		unsigned int size = 0;
		for (size_t j = 0; j < probe->argument_count; j++) {
			const struct contract_argument *argument = &probe->arguments[j];
			bool is_text = argument->string == CONTRACT_STRING_TEXT;
			at += snprintf(text + at, sizeof(text) - (size_t)at, "%s%s%s%s%s",
				j ? ", " : "", argument->type,
				argument->kind == CONTRACT_INTEGER ? " " : "", argument->name,
				is_text ? "[]" : "");
			if (is_text) {
				/* "char *text[]" is "char text[]" on the wire */
				char *star = strrchr(text, '*');
				memmove(star, star + 1, strlen(star));
				at--;
				size = WIRE_VARIABLE;
			} else if (size != WIRE_VARIABLE && !is_cap(probe, j)) {
				size += argument->kind == CONTRACT_STRING ? 4 : argument->size;
			}
		}
		snprintf(text + at, sizeof(text) - (size_t)at, ")");
		declare(&maker->out, event_type(provider, i), (uint16_t)size, text, extension);
		free(extension);
	}
	put(&maker->out, WIRE_TYPES_END, 4);
	put(&maker->out, WIRE_HEADER_END, 4);
	put(&maker->out, WIRE_DATA_BEGIN, 4);
}

/* ---- data ---- */

static void event(struct buffer *buffer, uint16_t type, uint64_t time)
{
	put(buffer, type, 2);
	put(buffer, time, 8);
}

static void end_block(struct maker *maker)
{
	if (!maker->in_block)
		return;
	event(&maker->out, WIRE_BLOCK_MARKER, 0);
	put(&maker->out, maker->block.length + WIRE_MARKER_BYTES, 4);
	put(&maker->out, 0, 8);
	put(&maker->out, maker->cap, 2);
	put_bytes(&maker->out, maker->block.bytes, maker->block.length);
	maker->block.length = 0;
	maker->in_block = false;
}

static struct buffer *place(struct maker *maker)
{
	return maker->in_block ? &maker->block : &maker->out;
}

static uint64_t number(const struct maker *maker, const char *word)
{
	char *end;
	uint64_t value;

	errno = 0;
	value = *word == '-' ? (uint64_t)strtoll(word, &end, 0) : strtoull(word, &end, 0);
	if (end == word || errno)
		fail(maker, "'%s' is not a number", word);
	if (!strcmp(end, "us"))
		value *= 1000;
	else if (!strcmp(end, "ms"))
		value *= 1000000;
	else if (!strcmp(end, "s"))
		value *= 1000000000;
	else if (strcmp(end, "ns") && *end)
		fail(maker, "'%s' is not a number", word);
	return value;
}

static void put_name(struct maker *maker, uint32_t id, const char *text)
{
	struct buffer *buffer = place(maker);

	event(buffer, WIRE_NAME, 0);
	put(buffer, 4 + strlen(text), 2);
	put(buffer, id, 4);
	put_bytes(buffer, text, strlen(text));
}

static uint32_t name_id(struct maker *maker, const char *word)
{
	if (*word == '#')
		return (uint32_t)number(maker, word + 1);
	if (*word != '"')
		fail(maker, "'%s' is no name: \"text\" or #ID", word);
	for (size_t i = 0; i < maker->name_count; i++)
		if (!strcmp(maker->names[i], word + 1))
			return (uint32_t)(100 + i);
	if (maker->name_count == NAMES_MAX)
		fail(maker, "more than %d names", NAMES_MAX);
	maker->names[maker->name_count] = strdup(word + 1);
	put_name(maker, (uint32_t)(100 + maker->name_count), word + 1);
	return (uint32_t)(100 + maker->name_count++);
}

static size_t find_probe(const struct maker *maker, const char *name)
{
	for (size_t i = 0; i < maker->provider->probe_count; i++)
		if (!strcmp(maker->provider->probes[i].name, name))
			return i;
	fail(maker, "the contract has no probe '%s'", name);
}

static void put_event(struct maker *maker, char **words, size_t count)
{
	uint64_t time = number(maker, words[0]);
	size_t index = find_probe(maker, count > 1 ? words[1] : "");
	const struct contract_probe *probe = &maker->provider->probes[index];
	struct buffer payload = {0}, *buffer = place(maker);
	const char *text = NULL;
	size_t word = 2;

	for (size_t i = 0; i < probe->argument_count; i++) {
		const struct contract_argument *argument = &probe->arguments[i];
		if (is_cap(probe, i))
			continue;
		if (word == count)
			fail(maker, "%s: too few arguments", probe->name);
		if (argument->string == CONTRACT_STRING_TEXT) {
			if (*words[word] != '"')
				fail(maker, "%s: argument %zu is no \"text\"", probe->name, i);
			text = words[word] + 1;
		} else if (argument->kind == CONTRACT_STRING) {
			put(&payload, name_id(maker, words[word]), 4);
		} else {
			put(&payload, number(maker, words[word]), argument->size);
		}
		word++;
	}
	if (word != count)
		fail(maker, "%s: too many arguments", probe->name);
	event(buffer, event_type(maker->provider, index), time);
	if (text)
		put(buffer, payload.length + strlen(text), 2);
	put_bytes(buffer, payload.bytes, payload.length);
	if (text)
		put_bytes(buffer, text, strlen(text));
	free(payload.bytes);
}

static void put_process(struct maker *maker, uint64_t pid, uint64_t ppid, const char *program)
{
	struct buffer *buffer = place(maker);

	event(buffer, WIRE_OSPROCESS_PID, 0);
	put(buffer, 0, 4);
	put(buffer, pid, 4);
	event(buffer, WIRE_OSPROCESS_PPID, 0);
	put(buffer, 0, 4);
	put(buffer, ppid, 4);
	event(buffer, WIRE_PROGRAM_ARGS, 0);
	put(buffer, 4 + strlen(program) + 1, 2);
	put(buffer, 0, 4);
	put_bytes(buffer, program, strlen(program) + 1);
}

static void put_clock(struct maker *maker, uint64_t monotonic, uint64_t realtime)
{
	event(place(maker), WIRE_CLOCK, 0);
	put(place(maker), monotonic, 8);
	put(place(maker), realtime, 8);
}

/* Splits a line into words at blanks; "..." is one word, which keeps its first quote. */
static size_t split(struct maker *maker, char *line, char **words)
{
	size_t count = 0;

	for (;;) {
		while (isspace((unsigned char)*line))
			line++;
		if (!*line || *line == '\n' || (*line == '#' && !count))
			return count;
		if (count == WORDS_MAX)
			fail(maker, "more than %d words", WORDS_MAX);
		words[count++] = line;
		if (*line == '"') {
			char *to = ++line;
			for (; *line && *line != '"'; line++) {
				if (*line == '\\' && line[1] == 'n' && line++)
					*line = '\n';
				else if (*line == '\\' && line[1])
					line++;
				*to++ = *line;
			}
			if (!*line)
				fail(maker, "a text without its second quote");
			line++;
			*to = '\0';
		} else {
			while (*line && !isspace((unsigned char)*line))
				line++;
			if (*line)
				*line++ = '\0';
		}
	}
}

static void put_line(struct maker *maker, char **words, size_t count)
{
	const char *word = words[0];
	struct error error;

	if (!maker->has_header && !strcmp(word, "provider") && count == 2) {
		if (maker->compat_count == COMPATS_MAX)
			fail(maker, "more than %d providers", COMPATS_MAX);
		if (known_contract_read(words[1], &maker->compats[maker->compat_count], &error))
			fail(maker, "%s", error.text);
		maker->compat_count++;
		return;
	}
	if (!maker->has_header)
		put_header(maker);
	maker->has_header = true;
	bool is_start = !strcmp(word, "process") || !strcmp(word, "clock") || !strcmp(word, "raw");

	if (!maker->has_process && !is_start) {
		put_process(maker, 1234, 1, "toy");
		maker->has_process = true;
	}
	if (!maker->has_clock && !is_start) {
		put_clock(maker, 1000000000, 1000000000);
		maker->has_clock = true;
	}
	if (!strcmp(word, "process") && count == 4) {
		put_process(maker, number(maker, words[1]), number(maker, words[2]), words[3]);
		maker->has_process = true;
	} else if (!strcmp(word, "clock") && count == 3) {
		maker->has_clock = true;
		put_clock(maker, number(maker, words[1]), number(maker, words[2]));
	} else if (!strcmp(word, "block") && count == 2) {
		end_block(maker);
		maker->in_block = true;
		maker->cap = (uint16_t)number(maker, words[1]);
	} else if (!strcmp(word, "context") && count == 3) {
		event(place(maker), WIRE_CONTEXT, 0);
		put(place(maker), number(maker, words[1]), 8);
		put(place(maker), number(maker, words[2]), 4);
	} else if (!strcmp(word, "name") && count == 3 && words[2][0] == '"') {
		put_name(maker, (uint32_t)number(maker, words[1]), words[2] + 1);
	} else if (!strcmp(word, "loss") && (count == 3 || count == 5)) {
		event(place(maker), WIRE_LOSS, count == 5 ? number(maker, words[4]) : 0);
		put(place(maker), event_type(maker->provider, find_probe(maker, words[1])), 2);
		put(place(maker), number(maker, words[2]), 8);
		put(place(maker), count == 5 ? number(maker, words[3]) : 0, 8);
	} else if (!strcmp(word, "watermark") && count == 2) {
		end_block(maker);
		event(&maker->out, WIRE_WATERMARK, 0);
		put(&maker->out, number(maker, words[1]), 8);
	} else if (!strcmp(word, "end") && count == 1) {
		end_block(maker);
		put(&maker->out, WIRE_DATA_END, 2);
	} else if (!strcmp(word, "raw")) {
		for (size_t i = 1; i < count; i++)
			put(place(maker), strtoul(words[i], NULL, 16), 1);
	} else if (isdigit((unsigned char)*word)) {
		put_event(maker, words, count);
	} else {
		fail(maker, "'%s' is no event, or has the wrong number of words", word);
	}
}

int main(int argc, char **argv)
{
	struct contract *contract;
	struct maker maker = {0};
	char *line = NULL, *words[WORDS_MAX];
	size_t capacity = 0, count;
	struct error error;
	FILE *input, *output;

	if (argc != 4) {
		fprintf(stderr, "usage: make_log CONTRACT.d EVENTS OUTPUT\n");
		return 2;
	}
	if (contract_read(argv[1], &contract, &error)) {
		fprintf(stderr, "make_log: %s\n", error.text);
		return 1;
	}
	maker.file = argv[2];
	maker.provider = contract_find_provider(contract, "vm");
	input = fopen(argv[2], "r");
	output = fopen(argv[3], "w");
	if (!input || !output || !maker.provider) {
		fprintf(stderr, "make_log: %s: %s\n", input ? argv[3] : argv[2], strerror(errno));
		return 1;
	}
	while (getline(&line, &capacity, input) > 0) {
		maker.line++;
		count = split(&maker, line, words);
		if (count)
			put_line(&maker, words, count);
	}
	if (!maker.has_header)
		put_header(&maker);
	end_block(&maker);
	if (fwrite(maker.out.bytes, 1, maker.out.length, output) != maker.out.length ||
		fclose(output)) {
		fprintf(stderr, "make_log: %s: %s\n", argv[3], strerror(errno));
		return 1;
	}
	fclose(input);
	free(line);
	for (size_t i = 0; i < maker.name_count; i++)
		free(maker.names[i]);
	free(maker.out.bytes);
	free(maker.block.bytes);
	for (size_t i = 0; i < maker.compat_count; i++)
		contract_free(maker.compats[i]);
	contract_free(contract);
	return 0;
}
