/*
 * log.c: `vmtap log`: what a recorded log holds: a summary, or every event as text. Reads
 * logs of vmtap and of GHC. Checking is in log_check.c.
 */
#include "cli/log/log.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/bytes.h"
#include "base/clean_text.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/log/thread_bytes.h"
#include "cli/probes.h"
#include "wire/loss.h"
#include "wire/wire.h"

enum {
	TYPES = 65536,
	ENOUGH = 400, /* bytes of a damage's line */
	ABSENT_MAX = 16,
	OPTION_DUMP = 256,
	OPTION_VALIDATE,
	OPTION_JSON
};

struct log_summary {
	uint64_t counts[TYPES];
	uint64_t events, lost, samples, bytes, markers;
	uint64_t first, last; /* times */
	bool has_time, has_wall, in_order;
	int64_t wall; /* ns since 1970 at time 0 */
	uint32_t pid, parent;
	uint64_t thread_count, cap_count;
	struct thread_bytes threads, caps;
	char program[256], runtime[128];
	char why[ENOUGH]; /* how it ends, when not in order */
};

/* ---- reading ---- */

int log_open(struct log_reader *reader, const char *name, struct error *error)
{
	int result;

	*reader = (struct log_reader){.name = name};
	feed_progress_init(&reader->progress);
	result = record_file_open(&reader->file, name, error);
	if (result)
		return result;
	reader->layouts = calloc(TYPES, sizeof(*reader->layouts));
	if (!reader->layouts || names_init(&reader->names))
		return error_set(error, ENOMEM, "%s: out of memory", name);
	return 0;
}

void log_close(struct log_reader *reader)
{
	feed_progress_end(&reader->progress);
	for (size_t i = 0; reader->layouts && i < TYPES; i++)
		free(reader->layouts[i]);
	free(reader->layouts);
	names_free(&reader->names);
	record_file_close(&reader->file);
}

int log_next(
	struct log_reader *reader, struct record *record, const char **why, struct error *error)
{
	static const char without[] = "the log ends without an end marker: it is truncated";
	struct records *records = &reader->file.records;
	int state = record_file_next(&reader->file, record, error);
	size_t left;

	*why = NULL;
	feed_progress_count(&reader->progress, ++reader->events, reader->name);
	if (state == RECORDS_EVENT && record->type == WIRE_NAME && record_is_whole(record))
		/* one that is out of range or too much is shown by its number */
		names_define(&reader->names, bytes_u32(record->payload),
			(const char *)record->payload + 4, record->size - 4);
	if (state == RECORDS_MORE && !*records->damage) {
		left = reader->file.filled - reader->file.taken;
		if (left)
			snprintf(records->damage, sizeof(records->damage),
				"byte %" PRIu64 ": the log ends within %s that begins at byte "
				"%" PRIu64 ": it is truncated",
				records->position + left,
				records->has_header ? "an event" : header_part(&records->header),
				records->position);
		else if (!records->position)
			snprintf(records->damage, sizeof(records->damage), "%s", RECORDS_EMPTY);
		else
			snprintf(records->damage, sizeof(records->damage), "byte %" PRIu64 ": %s",
				records->position, without);
	}
	if (state == RECORDS_MORE || state == RECORDS_BROKEN)
		*why = records->damage;
	if (*why && !records->has_header)
		return error_set(error, EPROTO, "%s: %s", reader->name, *why);
	return state;
}

const struct layout *log_layout(struct log_reader *reader, uint16_t type)
{
	struct layout **layout = &reader->layouts[type];

	if (!*layout) {
		*layout = malloc(sizeof(**layout));
		if (*layout)
			layout_make(*layout, type, records_type_text(&reader->file.records, type));
	}
	return *layout;
}

/* ---- the summary ---- */

static void count_once(struct thread_bytes *threads, uint64_t *count, uint32_t number)
{
	uint8_t *seen = thread_bytes_at(threads, number);

	if (seen && !*seen) {
		*seen = 1;
		++*count;
	}
}

static void take_text(char *to, size_t size, const struct record *record)
{
	size_t length = record->size - 4 < size - 1 ? record->size - 4 : size - 1;

	for (size_t i = 0; i < length; i++) {
		unsigned char c = record->payload[4 + i];
		to[i] = (char)(c < 0x20 || c == 0x7f ? ' ' : c);
	}
	while (length && to[length - 1] == ' ')
		length--;
	to[length] = '\0';
}

static void take_start(struct log_summary *summary, const struct record *record)
{
	const unsigned char *payload = record->payload;

	if (!record_is_whole(record))
		return;
	switch (record->type) {
	case WIRE_CAP_CREATE:
		count_once(&summary->caps, &summary->cap_count, bytes_u16(payload));
		break;
	case WIRE_OSPROCESS_PID:
		summary->pid = bytes_u32(payload + 4);
		break;
	case WIRE_OSPROCESS_PPID:
		summary->parent = bytes_u32(payload + 4);
		break;
	case WIRE_RTS_IDENTIFIER:
		take_text(summary->runtime, sizeof(summary->runtime), record);
		break;
	case WIRE_PROGRAM_ARGS:
		take_text(summary->program, sizeof(summary->program), record);
		break;
	case WIRE_WALL_CLOCK_TIME:
		if (!summary->has_wall) {
			summary->wall = (int64_t)(bytes_u64(payload + 4) * 1000000000u +
				bytes_u32(payload + 12) - record->time);
			summary->has_wall = true;
		}
		break;
	}
}

static void take_record(
	struct log_summary *summary, struct log_reader *reader, const struct record *record)
{
	const struct layout *layout = log_layout(reader, record->type);
	const unsigned char *at;
	unsigned int field;
	size_t size;

	summary->counts[record->type]++;
	if (record->type == WIRE_BLOCK_MARKER) {
		summary->markers++;
		return;
	}
	if (!wire_is_own(record->type))
		summary->events++;
	if (!summary->has_time || record->time < summary->first)
		summary->first = record->time;
	if (!summary->has_time || record->time > summary->last)
		summary->last = record->time;
	summary->has_time = true;
	if (record->cap != WIRE_NO_CAP)
		count_once(&summary->caps, &summary->cap_count, record->cap);
	if (record->type == WIRE_HEAP_PROF_SAMPLE_BEGIN)
		summary->samples++;
	summary->lost += record_lost(record);
	take_start(summary, record);
	if (!layout)
		return;
	field = layout_find(layout, "thread");
	if (field < layout->field_count &&
		layout_field(layout, field, record->payload, record->size, &at, &size)) {
		uint64_t thread = layout_number(&layout->fields[field], at);
		if (thread) /* 0 is none */
			count_once(&summary->threads, &summary->thread_count, (uint32_t)thread);
	}
}

static int summarize(const char *name, struct log_summary *summary, struct log_reader *reader,
	struct error *error)
{
	struct record record;
	const char *why;
	int state;

	if (thread_bytes_init(&summary->threads) || thread_bytes_init(&summary->caps))
		return error_set(error, ENOMEM, "%s: out of memory", name);
	while ((state = log_next(reader, &record, &why, error)) == RECORDS_EVENT)
		take_record(summary, reader, &record);
	summary->bytes = reader->file.records.position;
	summary->in_order = state == RECORDS_ENDED;
	if (why)
		snprintf(summary->why, sizeof(summary->why), "%s", why);
	return state < 0 ? state : 0;
}

static void format_time(const struct log_summary *summary, char *text, size_t size)
{
	int64_t wall = summary->wall + (int64_t)summary->first;
	time_t seconds = (time_t)(wall / 1000000000);
	struct tm parts;
	size_t length = 0;

	if (gmtime_r(&seconds, &parts))
		length = strftime(text, size, "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(text + length, size - length, ".%09" PRId64 "Z", wall % 1000000000);
}

/*
 * The next probe of another runtime that an event type fires, "PROVIDER:::NAME", of the lines
 * at *lines, which is moved on; false when there is none.
 */
static bool next_compatible(const char **lines, char *name, size_t size)
{
	size_t length = strcspn(*lines, "\n"), end;

	while (!strncmp(*lines, WIRE_LIBRARY, strlen(WIRE_LIBRARY))) {
		*lines += length + ((*lines)[length] == '\n');
		length = strcspn(*lines, "\n");
	}
	end = strcspn(*lines, "(\n");
	if (!**lines)
		return false;
	snprintf(name, size, "%.*s", (int)(end < size ? end : size - 1), *lines);
	*lines += length + ((*lines)[length] == '\n');
	return true;
}

/* The name of the provider if the VM had not opted in to it, else NULL. Changes the name. */
static const char *absent_provider(char *name)
{
	size_t length = strlen(WIRE_ABSENT);

	if (strncmp(name, WIRE_ABSENT, length) != 0)
		return NULL;
	name[length + strcspn(name + length, ":")] = '\0';
	return name + length;
}

/* One line for the providers whose probes the log declares and the VM had not opted in to. */
static void print_absent(struct log_reader *reader)
{
	char names[ABSENT_MAX][128];
	size_t count = 0;

	for (unsigned int i = 0; i < TYPES; i++) {
		const char *lines = records_type_extension(&reader->file.records, (uint16_t)i);
		char name_of[128];
		while (next_compatible(&lines, name_of, sizeof(name_of))) {
			const char *provider = absent_provider(name_of);
			size_t known = 0;
			while (provider && known < count && strcmp(names[known], provider) != 0)
				known++;
			if (provider && known == count && count < ABSENT_MAX)
				strcpy(names[count++], provider);
		}
	}
	if (count)
		printf("\nnot served when the log began:");
	for (size_t i = 0; i < count; i++) {
		putchar(' ');
		probes_print(names[i]);
	}
	if (count)
		putchar('\n');
}

/* What the VM says of itself. */
static void print_own_text(const char *name, const char *text)
{
	if (!*text)
		return;
	printf("  %-13s ", name);
	clean_text_print(stdout, text);
	putchar('\n');
}

static void print_summary(
	const char *name, const struct log_summary *summary, struct log_reader *reader)
{
	uint64_t duration = summary->last - summary->first;
	char began[64], name_of[128];
	const char *lines;

	printf("%s\n", name);
	if (summary->pid)
		printf("  process       %" PRIu32 "\n", summary->pid);
	print_own_text("program", summary->program);
	print_own_text("runtime", summary->runtime);
	if (summary->has_wall) {
		format_time(summary, began, sizeof(began));
		printf("  began         %s\n", began);
	}
	printf("  duration      %" PRIu64 ".%09" PRIu64 " s\n", duration / 1000000000,
		duration % 1000000000);
	printf("  bytes         %" PRIu64 "\n", summary->bytes);
	printf("  blocks        %" PRIu64 "\n", summary->markers);
	printf("  capabilities  %" PRIu64 "\n", summary->cap_count);
	printf("  threads       %" PRIu64 "\n", summary->thread_count);
	printf("  heap samples  %" PRIu64 "\n", summary->samples);
	printf("  events        %" PRIu64 "\n", summary->events);
	printf("  lost          %" PRIu64 "\n", summary->lost);
	printf("  end           %s\n\n", summary->in_order ? "in order" : summary->why);
	printf("%6s %12s  %s\n", "TYPE", "EVENTS", "NAME");
	for (unsigned int i = 0; i < TYPES; i++) {
		const struct layout *layout;
		if (!summary->counts[i])
			continue;
		layout = log_layout(reader, (uint16_t)i);
		printf("%6u %12" PRIu64 "  %s%s%s", i, summary->counts[i],
			layout ? layout->provider : "", layout && layout->is_probe ? ":::" : "",
			layout ? layout->name : "");
		lines = records_type_extension(&reader->file.records, (uint16_t)i);
		while (next_compatible(&lines, name_of, sizeof(name_of))) {
			if (absent_provider(name_of))
				continue;
			putchar(' ');
			probes_print(name_of);
		}
		putchar('\n');
	}
	print_absent(reader);
}

static int print_json(
	const char *name, const struct log_summary *summary, struct log_reader *reader)
{
	json_t *root = json_object(), *types = json_array(), *also;
	char began[64], name_of[128];
	const char *lines;
	int result;

	json_object_set_new(root, "file", probes_json_text(name));
	json_object_set_new(root, "pid", json_integer(summary->pid));
	json_object_set_new(root, "ppid", json_integer(summary->parent));
	json_object_set_new(root, "program", probes_json_text(summary->program));
	json_object_set_new(root, "runtime", probes_json_text(summary->runtime));
	if (summary->has_wall) {
		format_time(summary, began, sizeof(began));
		json_object_set_new(root, "began", json_string(began));
	}
	json_object_set_new(
		root, "duration_ns", json_integer((json_int_t)(summary->last - summary->first)));
	json_object_set_new(root, "bytes", json_integer((json_int_t)summary->bytes));
	json_object_set_new(root, "blocks", json_integer((json_int_t)summary->markers));
	json_object_set_new(root, "capabilities", json_integer((json_int_t)summary->cap_count));
	json_object_set_new(root, "threads", json_integer((json_int_t)summary->thread_count));
	json_object_set_new(root, "heap_samples", json_integer((json_int_t)summary->samples));
	json_object_set_new(root, "events", json_integer((json_int_t)summary->events));
	json_object_set_new(root, "lost", json_integer((json_int_t)summary->lost));
	json_object_set_new(root, "in_order", json_boolean(summary->in_order));
	if (!summary->in_order)
		json_object_set_new(root, "damage", probes_json_text(summary->why));
	for (unsigned int i = 0; i < TYPES; i++) {
		const struct layout *layout;
		if (!summary->counts[i])
			continue;
		layout = log_layout(reader, (uint16_t)i);
		also = json_array();
		lines = records_type_extension(&reader->file.records, (uint16_t)i);
		while (next_compatible(&lines, name_of, sizeof(name_of)))
			json_array_append_new(also, probes_json_text(name_of));
		json_array_append_new(types,
			json_pack("{s:i, s:o, s:o, s:b, s:I, s:o}", "type", (int)i, "provider",
				probes_json_text(layout ? layout->provider : ""), "name",
				probes_json_text(layout ? layout->name : ""), "probe",
				layout && layout->is_probe, "events",
				(json_int_t)summary->counts[i], "also", also));
	}
	json_object_set_new(root, "types", types);
	result = json_dumpf(root, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(root);
	return result;
}

static int command_summary(const char *name, bool json)
{
	struct log_summary *summary = calloc(1, sizeof(*summary));
	struct log_reader reader;
	struct error error = {"out of memory"};
	int result = log_open(&reader, name, &error);

	if (!summary)
		result = -ENOMEM;
	if (!result)
		result = summarize(name, summary, &reader, &error);
	if (!result && json)
		result = print_json(name, summary, &reader);
	else if (!result)
		print_summary(name, summary, &reader);
	if (result)
		cli_message("%s", error.text);
	else if (summary->why[0] && json)
		cli_message("%s: %s", name, summary->why);
	log_close(&reader);
	if (summary) {
		thread_bytes_free(&summary->threads);
		thread_bytes_free(&summary->caps);
	}
	free(summary);
	return result ? CLI_CANNOT : CLI_OK;
}

/* ---- every event as text ---- */

static void print_text(const unsigned char *text, size_t length)
{
	putchar('"');
	for (size_t i = 0, size; i < length; i += size) {
		const char *at = (const char *)text + i;

		size = utf8_bytes(at, length - i);
		if (*at == '"' || *at == '\\') {
			printf("\\%c", *at);
		} else if (size && !clean_text_is_harmful(at, size)) {
			fwrite(at, 1, size, stdout);
		} else {
			size += !size;
			for (size_t j = 0; j < size; j++)
				printf("\\x%02x", text[i + j]);
		}
	}
	putchar('"');
}

static void print_field(const struct log_reader *reader, const struct layout_field *field,
	const unsigned char *at, size_t size)
{
	const struct text *text;
	uint64_t number;

	printf(" %s=", field->name);
	switch (field->kind) {
	case LAYOUT_NUMBER:
		number = layout_number(field, at);
		if (field->is_signed)
			printf("%" PRId64, (int64_t)number);
		else
			printf("%" PRIu64, number);
		break;
	case LAYOUT_NAME:
		number = layout_number(field, at);
		text = reader->names.texts[names_index(&reader->names, (uint32_t)number)];
		if (text)
			print_text((const unsigned char *)text->bytes, text->length);
		else
			printf("#%" PRIu64, number);
		break;
	case LAYOUT_BYTES:
		for (size_t i = 0; i < size; i++)
			printf("%02x", at[i]);
		break;
	default:
		print_text(at, size);
		break;
	}
}

static void print_record(struct log_reader *reader, const struct record *record)
{
	const struct layout *layout = log_layout(reader, record->type);
	const unsigned char *at;
	size_t size;

	printf("%" PRIu64 " ", record->time);
	if (record->cap == WIRE_NO_CAP)
		putchar('-');
	else
		printf("%u", record->cap);
	/* vm's names are short, as they always were; others name their provider */
	if (layout && layout->is_probe && strcmp(layout->provider, "vm") != 0)
		printf(" %s:::%s", layout->provider, layout->name);
	else
		printf(" %s", layout ? layout->name : "?");
	for (unsigned int i = 0; layout && i < layout->field_count; i++)
		if (layout_field(layout, i, record->payload, record->size, &at, &size))
			print_field(reader, &layout->fields[i], at, size);
	putchar('\n');
}

static int log_dump(const char *name)
{
	struct log_reader reader;
	struct error error;
	struct record record;
	const char *why = NULL;
	uint64_t lost = 0;
	unsigned reasons = 0;
	int state = log_open(&reader, name, &error);

	reader.progress.is_terminal = 0; /* the events themselves show the progress */
	if (!state)
		while ((state = log_next(&reader, &record, &why, &error)) == RECORDS_EVENT) {
			print_record(&reader, &record);
			lost += record_lost(&record);
			reasons |= record_loss_reasons(&record);
		}
	/* after what was printed, also if both go to one place */
	fflush(stdout);
	if (lost && !loss_can_wait(reasons))
		cli_message("%s: %" PRIu64 " events were lost: %s", name, lost,
			loss_reason_text(reasons));
	else if (lost)
		cli_message("%s: %" PRIu64
			    " events were lost; 'vmtap record --lossless' loses none",
			name, lost);
	if (state < 0)
		cli_message("%s", error.text);
	else if (why)
		cli_message("%s: %s", name, why);
	log_close(&reader);
	return state < 0 || state == RECORDS_BROKEN ? CLI_CANNOT : CLI_OK;
}

/* ---- the command ---- */

static int command_validate(const char *name)
{
	struct error error;
	unsigned int found;

	if (log_check(name, &found, &error)) {
		cli_message("%s", error.text);
		return CLI_CANNOT;
	}
	if (!found)
		printf("%s: valid\n", name);
	return found ? CLI_FOUND : CLI_OK;
}

static void help(void)
{
	printf("Usage: vmtap log [OPTION] FILE\n"
	       "What a recorded event log holds: vmtap's, or any GHC eventlog (- is the standard\n"
	       "input). Without an option, a summary.\n\n"
	       "      --json      the summary in JSON\n"
	       "      --dump      every event as a line of text, in the file's order\n"
	       "      --validate  check the log; a line for everything that is wrong\n"
	       "  -h, --help      this text\n\n"
	       "Exit status: 0; 1 --validate has found something, 2 usage, 3 the file cannot be "
	       "read.\n");
}

int command_log(int argc, char **argv)
{
	static const struct option options[] = {
		{"help", no_argument, NULL, 'h'},
		{"json", no_argument, NULL, OPTION_JSON},
		{"dump", no_argument, NULL, OPTION_DUMP},
		{"validate", no_argument, NULL, OPTION_VALIDATE},
		{NULL, 0, NULL, 0},
	};
	const char *file;
	int option, action = 0;

	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1) {
		if (option == 'h') {
			help();
			return CLI_OK;
		}
		if (option == '?')
			return cli_option_refused("log", option, argv, options);
		if (action && action != option)
			return cli_usage("log", "only one of --json, --dump and --validate");
		action = option;
	}
	if (optind + 1 != argc)
		return cli_usage("log", optind < argc ? "one file at a time" : "no file is named");
	file = cli_input(argv[optind]);
	switch (action) {
	case OPTION_DUMP:
		return log_dump(file);
	case OPTION_VALIDATE:
		return command_validate(file);
	default:
		return command_summary(file, action == OPTION_JSON);
	}
}
