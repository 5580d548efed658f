/* record_probes.c: see record_probes.h. */
#include "cli/record/record_probes.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "program/probe.h"
#include "wire/wire.h"

enum { NAME_MAX_BYTES = 48, DESCRIPTION_MAX = 2048 };

/* A probe that the log has declared. */
struct recorded_probe {
	const struct d_probe *latest;  /* that was found to be this one */
	char provider[NAME_MAX_BYTES]; /* without the pid */
	char name[64];
	char module[64], function[128]; /* in which it fires; cut if they are longer */
	uint16_t type;
	uint16_t texts; /* one bit for each argument that is one */
	uint8_t count;
};

struct record_probes {
	struct recorded_probe probes[WIRE_SPARES];
	size_t count;
	/* the event that has begun */
	const struct recorded_probe *begun; /* NULL: none has */
	struct log_writer_event event;
	struct log_writer_value values[RECORD_PROBES_NUMBERS];
	uint64_t arguments[RECORD_PROBES_NUMBERS];
	char texts[RECORD_PROBES_TEXTS][RECORD_PROBES_TEXT_BYTES];
};

/* The parts of an option -n. */
struct probe_text {
	const char *description, *predicate;
	int description_length, predicate_length;
	int head_length; /* of both as they are written */
};

/* Takes the parts of a text. Returns false if it has other ones. */
static bool split_text(const char *text, struct probe_text *parts)
{
	static const char blanks[] = " \t\n";
	const char *body = strchr(text, '{'), *end = body ? body : text + strlen(text);
	size_t length = strcspn(text, "/{");

	*parts = (struct probe_text){.description = text,
		.description_length = (int)length,
		.predicate = "1",
		.predicate_length = 1};
	if (body) {
		body += 1 + strspn(body + 1, blanks);
		if (*body != '}' || body[1 + strspn(body + 1, blanks)])
			return false;
	}
	parts->head_length = (int)(end - text);
	if (text[length] != '/')
		return !strchr(text, ';');
	while (strchr(blanks, end[-1]))
		end--;
	parts->predicate = text + length + 1;
	parts->predicate_length = (int)(end - 1 - parts->predicate);
	return end[-1] == '/' && parts->predicate_length > 0 && !strchr(text, ';');
}

bool record_probes_accept(const char *text)
{
	struct probe_text parts;

	return split_text(text, &parts);
}

void record_probes_script(FILE *script, const char *text, bool has_stacks)
{
	struct probe_text parts;

	split_text(text, &parts);
	/* so that messages name the place in the option */
	fprintf(script, "#line 1\n%.*s\n{\n", parts.head_length, text);
	/* the probe is only to be traced, as Python's line is for its function-entry */
	if (parts.predicate_length == 1 && *parts.predicate == '0') {
		fputs("}\n", script);
		return;
	}
	fputs("\tprintf(\"%d%d%d%d%d%s%s", script);
	for (int i = 0; i < RECORD_PROBES_NUMBERS; i++)
		fputs("%d", script);
	fprintf(script,
		"%s\", timestamp, pid, ppid, tid, cpu, execname, "
		"curpsinfo->pr_psargs",
		has_stacks ? "%k" : "");
	for (int i = 0; i < RECORD_PROBES_NUMBERS; i++)
		fprintf(script, ", arg%d", i);
	fprintf(script, "%s);\n}\n", has_stacks ? ", ustack(127)" : "");
	for (int i = 0; i < RECORD_PROBES_TEXTS; i++)
		fprintf(script,
			"%.*s\n/(%.*s) && arg%d > 4095/\n{\n\tprintf(\"%%d%%s\", %d, "
			"copyinstr(arg%d));\n}\n",
			parts.description_length, parts.description, parts.predicate_length,
			parts.predicate, i, i, i);
}

struct record_probes *record_probes_new(void)
{
	return calloc(1, sizeof(struct record_probes));
}

void record_probes_free(struct record_probes *probes)
{
	free(probes);
}

/* The provider without the number of its process; false: it has none. */
static bool take_provider(const char *provider, uint32_t pid, char *text)
{
	char number[16];
	size_t length = strlen(provider), digits;

	digits = (size_t)snprintf(number, sizeof(number), "%" PRIu32, pid);
	if (length <= digits || strcmp(provider + length - digits, number) != 0 ||
		length - digits >= NAME_MAX_BYTES)
		return false;
	snprintf(text, NAME_MAX_BYTES, "%.*s", (int)(length - digits), provider);
	return strcmp(text, "pid") != 0; /* its probes are named after functions */
}

/* Declares a probe as it is for the log: a string is one that its contract says to be one. */
static int declare_probe(
	struct log_writer *log, const struct d_probe *probe, struct recorded_probe *recorded)
{
	char text[DESCRIPTION_MAX];
	size_t length;
	int type;

	recorded->count = probe->argument_count < RECORD_PROBES_NUMBERS ? probe->argument_count
									: RECORD_PROBES_NUMBERS;
	length = (size_t)snprintf(
		text, sizeof(text), "%s:::%s(", recorded->provider, recorded->name);
	for (unsigned i = 0; i < recorded->count && length < sizeof(text); i++) {
		const struct d_probe_argument *argument = &probe->arguments[i];
		bool is_text = i < RECORD_PROBES_TEXTS && strstr(argument->type, "char *");
		char name[16];

		snprintf(name, sizeof(name), "arg%u", i);
		recorded->texts |= is_text ? 1u << i : 0;
		length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%s%s",
			i ? ", " : "", is_text ? "char *" : "int64_t ",
			*argument->name ? argument->name : name);
	}
	if (length + 2 > sizeof(text))
		return -E2BIG;
	strcat(text, ")");
	type = log_writer_declare(log, text, recorded->module, recorded->function);
	recorded->type = (uint16_t)type;
	return type < 0 ? type : 0;
}

static bool is_same(
	const struct recorded_probe *one, const struct recorded_probe *other, bool has_place)
{
	return !strcmp(one->provider, other->provider) && !strcmp(one->name, other->name) &&
		(!has_place ||
			(!strcmp(one->module, other->module) &&
				!strcmp(one->function, other->function)));
}

/* Finds a probe among those that are declared, or declares it. If no more can be declared, one
 * counts for the others of its name. */
static int find_probe(struct record_probes *probes, struct log_writer *log,
	const struct d_probe *probe, uint32_t pid, struct recorded_probe **found)
{
	struct recorded_probe wanted = {.latest = probe};
	const bool is_full = probes->count == WIRE_SPARES;
	int result;

	for (size_t i = 0; i < probes->count; i++)
		if (probes->probes[i].latest == probe) {
			*found = &probes->probes[i];
			return 0;
		}
	if (!take_provider(probe->provider, pid, wanted.provider) ||
		strlen(probe->name) >= sizeof(wanted.name))
		return -EINVAL;
	strcpy(wanted.name, probe->name);
	snprintf(wanted.module, sizeof(wanted.module), "%s", probe->module);
	snprintf(wanted.function, sizeof(wanted.function), "%s", probe->function);
	for (int has_place = 1; has_place >= !is_full; has_place--)
		for (size_t i = 0; i < probes->count; i++) {
			*found = &probes->probes[i];
			if (!is_same(*found, &wanted, has_place))
				continue;
			(*found)->latest = probe;
			return 0;
		}
	if (is_full)
		return -E2BIG;
	result = declare_probe(log, probe, &wanted);
	if (result)
		return result;
	*found = &probes->probes[probes->count++];
	**found = wanted;
	return 0;
}

int record_probes_begin(struct record_probes *probes, struct log_writer *log,
	const struct d_probe *probe, uint32_t pid, const struct log_writer_event *event,
	const uint64_t *arguments)
{
	struct recorded_probe *found;
	int result = find_probe(probes, log, probe, pid, &found);

	if (result)
		return result;
	probes->begun = found;
	probes->event = *event;
	memcpy(probes->arguments, arguments, sizeof(probes->arguments));
	for (unsigned i = 0; i < found->count; i++)
		probes->values[i] = found->texts >> i & 1
			? (struct log_writer_value){.text = ""}
			: (struct log_writer_value){.number = arguments[i]};
	return 0;
}

/* The length of a text, which ends with a NUL, if the next argument says it: HotSpot's texts do not
 * end with a NUL. */
static size_t counted_length(const struct record_probes *probes, uint64_t argument, size_t length)
{
	uint64_t count = probes->arguments[argument + 1];

	return !strcmp(probes->begun->provider, "hotspot") && count < length ? count : length;
}

void record_probes_text(struct record_probes *probes, struct log_writer *log, uint64_t argument,
	const char *text, size_t length)
{
	char *place;
	bool is_whole;

	if (!probes->begun || argument >= probes->begun->count || argument >= RECORD_PROBES_TEXTS)
		return;
	length = counted_length(probes, argument, length);
	is_whole = length < RECORD_PROBES_TEXT_BYTES - 1;
	place = probes->texts[argument];
	snprintf(place, RECORD_PROBES_TEXT_BYTES, "%.*s", (int)length, text);
	if (probes->begun->texts >> argument & 1)
		probes->values[argument].text = place;
	else
		log_writer_memory(log, probes->arguments[argument], place, length + is_whole);
}

void record_probes_end(struct record_probes *probes, struct log_writer *log)
{
	if (probes->begun)
		log_writer_probe(log, &probes->event, probes->begun->type, probes->values,
			probes->begun->count);
	probes->begun = NULL;
}
