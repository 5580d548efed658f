/*
 * pid_probe.c: see pid_probe.h. All names of one address are consecutive in a table of
 * functions, with the canonical one last; they are one function here. Its instructions are
 * decoded only if a description asks for offsets, or if its returns must be known one by one.
 */
#include "usdt/code/pid_probe.h"

#include <elf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/pattern.h"
#include "base/suggestion.h"
#include "usdt/code/pid_finder.h"
#include "usdt/code/pid_return.h"

enum { HINT_SIZE = 256 /* bytes of a text with a suggestion */ };

/* A search. */
struct pid_search {
	struct pid_finder *finder;
	const struct pid_pattern *pattern;
	struct pid_list *list;
	size_t first;       /* probes that were in the list before */
	size_t functions;   /* that match */
	bool is_offset;     /* the name is an offset or an address */
	bool wants_offsets; /* the name is empty or a glob, so that offsets may match */
	uint64_t offset;
};

/* A function of a file, with all its names. */
struct pid_function {
	struct pid_file *file;
	const char *name;    /* canonical */
	const char *aliases; /* as of a pid_probe */
	uint64_t begin, size;
	uint64_t offset; /* in the file */
	uint8_t type;
	const char *refusal; /* why nothing of it can be probed */
};

/* A text that lives as long as the list. */
static const char *keep_text(struct pid_list *list, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static const char *keep_text(struct pid_list *list, const char *format, ...)
{
	char buffer[512], *kept;
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(buffer, sizeof(buffer), format, arguments);
	va_end(arguments);
	kept = arena_get(&list->texts, strlen(buffer) + 1);
	return kept ? strcpy(kept, buffer) : "out of memory";
}

static bool matches_file(const char *pattern, const struct pid_file *file)
{
	if (file->mapping_count == 0)
		return false;
	if (strchr(pattern, '/'))
		return !strcmp(pattern, file->path);
	if (!strcmp(pattern, "a.out") && file->module.is_executable)
		return true;
	return pattern_match_module(pattern, file->module.name);
}

/* Appends a copy. */
static int add_probe(struct pid_search *search, const struct pid_probe *probe)
{
	struct pid_list *list = search->list;

	if (list->count - search->first >= PID_PROBES_MAX)
		return -E2BIG;
	if (array_room(&list->probes, &list->capacity, list->count, sizeof(*list->probes)))
		return -ENOMEM;
	list->probes[list->count++] = *probe;
	return 0;
}

static struct pid_probe begin_probe(const struct pid_function *function, enum pid_point point)
{
	struct pid_probe probe = {.module = &function->file->module,
		.function = function->name,
		.aliases = function->aliases,
		.point = point,
		.kind = CODE_UNKNOWN,
		.refusal = function->refusal};

	probe.place.offset = function->offset;
	if (!function->refusal)
		probe.place.address = pid_file_address(function->file, function->offset);
	snprintf(probe.name, sizeof(probe.name), "%s", point == PID_ENTRY ? "entry" : "return");
	return probe;
}

/* Sets kind and refusal by the first instruction. */
static int judge_entry(const struct pid_function *function, struct pid_probe *probe)
{
	struct code_instruction instruction;
	size_t available, count = CODE_LENGTH_MAX;
	const uint8_t *bytes;

	if (probe->refusal)
		return 0;
	if (function->size < count)
		count = (size_t)function->size;
	bytes = code_object_bytes(&function->file->code, function->offset, count, &available);
	if (!bytes)
		return -ENOMEM;
	code_decode(function->file->code.machine, bytes, available, &instruction);
	probe->kind = instruction.kind;
	probe->refusal = instruction.kind == CODE_UNKNOWN ? "its first bytes are no instruction"
							  : instruction.reason;
	return 0;
}

static int add_entry(struct pid_search *search, const struct pid_function *function)
{
	struct pid_probe probe = begin_probe(function, PID_ENTRY);
	int result = judge_entry(function, &probe);

	if (function->type == STT_GNU_IFUNC)
		probe.caveat = "it only chooses, once, which function the calls of this name "
			       "reach";
	return result < 0 ? result : add_probe(search, &probe);
}

/* The place of an offset in a function, which may be in code that was moved elsewhere. */
static struct pid_place place_at(
	const struct pid_function *function, uint64_t file_offset, uint64_t in_function)
{
	return (struct pid_place){
		pid_file_address(function->file, file_offset), file_offset, in_function};
}

/* For code_starts_returns(): one part of a function. */
struct pid_part {
	const struct pid_function *function;
	uint64_t begin; /* link-time address */
};

static bool is_same(void *context, int64_t offset)
{
	const struct pid_part *part = context;
	uint64_t address = part->begin + (uint64_t)offset;

	return address - part->function->begin < part->function->size ||
		code_object_is_cold(&part->function->file->code, part->function->name, address);
}

static bool is_function(void *context, int64_t offset)
{
	const struct pid_part *part = context;

	return code_object_is_function(&part->function->file->code, part->begin + (uint64_t)offset);
}

struct pid_sites {
	size_t count, capacity;
	struct pid_place *places;
};

/* Appends the returns of one part. *reason: why they are not known. 0 or -ENOMEM. */
static int find_part_returns(const struct pid_function *function, uint64_t begin, uint64_t size,
	struct pid_sites *sites, const char **reason)
{
	struct pid_part part = {function, begin};
	struct code_surroundings surroundings = {is_same, is_function, &part};
	struct code_object *code = &function->file->code;
	struct code_starts starts = {0};
	uint32_t *offsets = NULL;
	size_t available, count = 0;
	const uint8_t *bytes;
	uint64_t file_offset;
	int result = 0;

	*reason = size > CODE_FUNCTION_MAX ? "it is too long"
					   : code_object_offset(code, begin, &file_offset);
	if (*reason)
		return 0;
	bytes = code_object_bytes(code, file_offset, (size_t)size, &available);
	if (!bytes || code_starts_make(code->machine, bytes, available, &starts))
		return -ENOMEM;
	if (starts.size != size)
		*reason = "not all of its bytes are instructions";
	else
		*reason = code_starts_returns(
			&starts, code->machine, bytes, &surroundings, &offsets, &count);
	for (size_t i = 0; i < count && result == 0; i++) {
		result = array_room(
			&sites->places, &sites->capacity, sites->count, sizeof(*sites->places));
		if (result == 0)
			sites->places[sites->count++] = place_at(function, file_offset + offsets[i],
				begin + offsets[i] - function->begin);
	}
	free(offsets);
	code_starts_free(&starts);
	return result;
}

static const char never_returns[] = "it never returns";

/* Finds all returns of a function and of its parts elsewhere. */
static int find_returns(struct pid_search *search, const struct pid_function *function,
	struct pid_probe *probe, const char **reason)
{
	struct pid_sites sites = {0};
	struct pid_place *kept;
	int result = find_part_returns(function, function->begin, function->size, &sites, reason);

	for (size_t i = 0; result == 0 && !*reason; i++) {
		const struct usdt_function *cold =
			code_object_cold(&function->file->code, function->name, i);

		if (!cold)
			break;
		result = find_part_returns(function, cold->begin, cold->size, &sites, reason);
	}
	if (result == 0 && !*reason && !sites.count)
		*reason = never_returns;
	if (result == 0 && !*reason) {
		kept = arena_get(&search->list->texts, sites.count * sizeof(*kept));
		if (kept) {
			memcpy(kept, sites.places, sites.count * sizeof(*kept));
			probe->sites = kept;
			probe->site_count = sites.count;
		} else {
			result = -ENOMEM;
		}
	}
	free(sites.places);
	return result;
}

static int add_return(struct pid_search *search, const struct pid_function *function)
{
	struct pid_probe probe = begin_probe(function, PID_RETURN);
	struct pid_return_danger danger = pid_return_danger(function->file->module.name,
		function->name, search->finder->leaves, function->file->code.leaves);
	const char *reason = NULL;
	int result = 0;

	if (!probe.refusal)
		probe.refusal = pid_return_refusal(function->name);
	if (!probe.refusal && danger.reason) {
		result = find_returns(search, function, &probe, &reason);
		if (reason == never_returns)
			probe.refusal = reason;
		else if (reason && danger.is_certain)
			probe.refusal = keep_text(search->list,
				"%s, so a uretprobe is not safe, and its returns are not known: %s",
				danger.reason, reason);
		else
			probe.caveat = danger.reason;
		probe.kind = CODE_STEPPED;
	}
	/* a uretprobe is a breakpoint at the entry */
	if (result == 0 && !probe.site_count)
		result = judge_entry(function, &probe);
	return result < 0 ? result : add_probe(search, &probe);
}

/* Adds the probe of one instruction, given what is known of the function's instructions. */
static int add_instruction(struct pid_search *search, const struct pid_function *function,
	const struct code_starts *starts, const uint8_t *bytes, uint64_t offset)
{
	struct pid_probe probe = begin_probe(function, PID_OFFSET);
	struct code_instruction instruction;
	uint64_t before;

	snprintf(probe.name, sizeof(probe.name), "%" PRIx64, offset);
	probe.place.in_function = offset;
	if (!probe.refusal && offset >= function->size)
		probe.refusal = keep_text(search->list,
			"the function is only 0x%" PRIx64 " bytes long", function->size);
	if (!probe.refusal) {
		bool is_start = code_starts_at(starts, offset, &before);

		probe.place = place_at(function, function->offset + offset, offset);
		if (starts->conflict != SIZE_MAX && offset > 0)
			probe.refusal = "the function's code seems to contain data, so where its "
					"instructions begin is not certain";
		else if (offset >= starts->size)
			probe.refusal = keep_text(search->list,
				"where instructions begin is not known after offset %zx, which is "
				"none",
				starts->size);
		else if (!is_start)
			probe.refusal = keep_text(search->list,
				"it is in the middle of the instruction at offset %" PRIx64,
				before);
	}
	if (!probe.refusal) {
		code_decode(function->file->code.machine, bytes + offset, starts->size - offset,
			&instruction);
		probe.kind = instruction.kind;
		probe.refusal = instruction.reason;
	}
	return add_probe(search, &probe);
}

/* Adds the offsets that match; in a search for one offset, also one that cannot be probed. */
static int add_offsets(struct pid_search *search, const struct pid_function *function)
{
	struct code_object *code = &function->file->code;
	struct code_starts starts = {.conflict = SIZE_MAX};
	const uint8_t *bytes = NULL;
	size_t available = 0;
	int result = 0;

	if (!function->refusal) {
		bytes = code_object_bytes(code, function->offset,
			function->size > CODE_FUNCTION_MAX ? CODE_FUNCTION_MAX
							   : (size_t)function->size,
			&available);
		if (!bytes || code_starts_make(code->machine, bytes, available, &starts))
			return -ENOMEM;
	}
	if (search->is_offset)
		result = add_instruction(search, function, &starts, bytes, search->offset);
	for (uint64_t offset = 0; search->wants_offsets && offset < starts.size && result == 0;
		offset++) {
		char name[20];
		uint64_t before;

		if (!code_starts_at(&starts, offset, &before))
			continue;
		snprintf(name, sizeof(name), "%" PRIx64, offset);
		if (pattern_match(search->pattern->name, name))
			result = add_instruction(search, function, &starts, bytes, offset);
	}
	code_starts_free(&starts);
	return result;
}

static int add_function(struct pid_search *search, const struct pid_function *function)
{
	const char *name = search->pattern->name;
	int result = 0;

	if (!search->is_offset && pattern_match(name, "entry"))
		result = add_entry(search, function);
	if (result == 0 && !search->is_offset && pattern_match(name, "return"))
		result = add_return(search, function);
	if (result == 0 && (search->is_offset || search->wants_offsets))
		result = add_offsets(search, function);
	return result;
}

/* The function whose names are at these indices. */
static struct pid_function make_function(
	struct pid_file *file, const struct usdt_function *names, size_t count)
{
	const struct usdt_function *canonical = &names[count - 1];
	struct pid_function function = {.file = file,
		.name = file->code.functions.texts + canonical->name,
		.begin = canonical->begin,
		.type = canonical->type};

	for (size_t i = 0; i < count; i++)
		if (names[i].size > function.size &&
			(!canonical->size || names[i].size == canonical->size))
			function.size = names[i].size;
	function.refusal = file->problem;
	if (!function.refusal)
		function.refusal =
			code_object_offset(&file->code, function.begin, &function.offset);
	if (!function.refusal && !function.size)
		function.refusal = "its symbol has no size";
	if (!function.refusal && !pid_file_address(file, function.offset))
		function.refusal = "this part of the file is not mapped as code";
	return function;
}

/* Sets the names of a function, the last of which is the canonical one, besides that. -ENOMEM. */
static int take_aliases(struct pid_search *search, struct pid_function *function,
	const struct usdt_function *names, size_t count)
{
	const char *texts = function->file->code.functions.texts;
	char *aliases, *to;
	size_t size = 1;

	for (size_t i = 0; i < count; i++)
		size += strlen(texts + names[i].name) + 1;
	aliases = to = arena_get(&search->list->texts, size);
	if (!aliases)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++)
		if (strcmp(texts + names[i].name, function->name) != 0)
			to = stpcpy(to, texts + names[i].name) + 1;
	*to = '\0';
	function->aliases = aliases;
	return 0;
}

/* The number of names at the address of the one at index. */
static size_t count_names(const struct usdt_functions *functions, size_t index)
{
	size_t count = 1;

	while (index + count < functions->count &&
		functions->functions[index + count].begin == functions->functions[index].begin)
		count++;
	return count;
}

static int search_file(struct pid_search *search, struct pid_file *file)
{
	const struct usdt_functions *functions = &file->code.functions;
	const char *wanted = search->pattern->function;
	bool is_glob = !*wanted || pattern_is_glob(wanted);
	size_t count;
	int result = 0;

	for (size_t i = 0; i < functions->count && result == 0; i += count) {
		const struct usdt_function *names = &functions->functions[i];
		bool matches = false;

		count = count_names(functions, i);
		for (size_t j = 0; j < count && !matches; j++) {
			const char *name = functions->texts + names[j].name;

			matches = is_glob ? pattern_match(wanted, name) : !strcmp(wanted, name);
		}
		if (matches) {
			struct pid_function function = make_function(file, names, count);

			search->functions++;
			if (count > 1)
				result = take_aliases(search, &function, names, count);
			if (result == 0)
				result = add_function(search, &function);
		}
	}
	return result;
}

/* The function that covers a link-time address; false: none does. */
static bool find_function(struct pid_file *file, uint64_t address, struct pid_function *function)
{
	const struct usdt_functions *functions = &file->code.functions;
	uint64_t begin;
	size_t count;

	if (!usdt_functions_find(functions, address, &begin))
		return false;
	for (size_t i = 0; i < functions->count; i += count) {
		count = count_names(functions, i);
		if (functions->functions[i].begin != begin)
			continue;
		*function = make_function(file, &functions->functions[i], count);
		return true;
	}
	return false;
}

/* Function "-": the name is an address in the process. */
static int search_address(struct pid_search *search, struct error *error)
{
	struct pid_finder *finder = search->finder;
	size_t first = search->list->count;
	uint64_t address = search->offset;

	for (size_t i = 0; i < finder->count; i++) {
		struct pid_file *file = finder->files[i];
		struct pid_probe *probe;
		struct pid_function function;
		uint64_t offset, linked;
		int result;

		if (!pid_file_offset(file, address, &offset))
			continue;
		if (!matches_file(search->pattern->module, file))
			return error_set(error, ENOENT, "address 0x%" PRIx64 " is in %s", address,
				file->module.name);
		if (file->problem)
			return error_set(error, ENOENT, "%s: %s", file->module.name, file->problem);
		if (!code_object_address(&file->code, offset, &linked) ||
			!find_function(file, linked, &function))
			return error_set(error, ENOENT,
				"no function of %s has address 0x%" PRIx64
				", so where instructions begin is not known",
				file->module.name, address);
		search->offset = linked - function.begin;
		result = add_offsets(search, &function);
		if (result < 0)
			return result;
		probe = &search->list->probes[first];
		probe->function = "-";
		probe->place.address = address;
		snprintf(probe->name, sizeof(probe->name), "%" PRIx64, address);
		return 0;
	}
	return error_set(error, ENOENT, "no file is mapped as code at address 0x%" PRIx64, address);
}

static int explain_module(const struct pid_search *search, struct error *error)
{
	const char *wanted = search->pattern->module;
	size_t stem = strcspn(wanted, ".-");
	struct suggestion suggestion;
	const char *same = NULL;
	char text[HINT_SIZE];

	suggestion_init(&suggestion, wanted);
	for (size_t i = 0; i < search->finder->count; i++) {
		const struct pid_file *file = search->finder->files[i];
		const char *name = file->module.name;
		struct suggestion shorter;
		char stem_text[SUGGESTION_MAX + 1];

		if (!file->mapping_count)
			continue;
		suggestion_offer(&suggestion, name);
		/* "libc" stands for libc.so.6 */
		snprintf(stem_text, sizeof(stem_text), "%.*s", (int)strcspn(name, ".-"), name);
		suggestion_init(&shorter, wanted);
		suggestion_offer(&shorter, stem_text);
		if (shorter.best && !wanted[stem] && !same)
			same = name;
		/* another version of the library */
		if (stem > 0 && wanted[stem] && strcspn(name, ".-") == stem &&
			!strncmp(name, wanted, stem))
			same = name;
	}
	suggestion_text(&suggestion, text, sizeof(text));
	if (same && !*text)
		suggestion_phrase(text, sizeof(text), "", same, "");
	return error_set(error, ENOENT, "process %d has not mapped %s%s", (int)search->finder->pid,
		*wanted ? wanted : "any code", text);
}

static int explain_function(const struct pid_search *search, size_t files, struct error *error)
{
	const struct pid_pattern *pattern = search->pattern;
	struct suggestion suggestion;
	const struct pid_file *only = NULL;
	size_t functions = 0;
	char text[HINT_SIZE];

	suggestion_init(&suggestion, pattern->function);
	for (size_t i = 0; i < search->finder->count; i++) {
		const struct pid_file *file = search->finder->files[i];

		if (!matches_file(pattern->module, file))
			continue;
		only = file;
		functions += file->code.functions.count;
		for (size_t j = 0; j < file->code.functions.count; j++)
			suggestion_offer(&suggestion,
				file->code.functions.texts +
					file->code.functions.functions[j].name);
	}
	if (files == 1 && only->problem)
		return error_set(error, ENOENT, "%s: %s", only->module.name, only->problem);
	if (!functions)
		return error_set(error, ENOENT, "%s has no symbols of functions",
			files == 1 ? only->module.name : "no mapped file");
	suggestion_text(&suggestion, text, sizeof(text));
	if (search->functions)
		return error_set(error, ENOENT, "%s matches neither entry, return nor an offset",
			pattern->name);
	if (!*pattern->function || pattern_is_glob(pattern->function))
		return error_set(error, ENOENT, "no function of %s matches",
			files == 1 ? only->module.name : "the mapped files");
	return error_set(error, ENOENT, "no function %s in %s%s", pattern->function,
		files == 1 ? only->module.name : "the mapped files", text);
}

/* Reads the name, unless it is a glob, "entry" or "return". */
static int parse_name(struct pid_search *search, struct error *error)
{
	const char *name = search->pattern->name;
	bool is_address = !strcmp(search->pattern->function, "-");
	char *end, text[HINT_SIZE];
	struct suggestion suggestion;

	search->wants_offsets = !*name || pattern_is_glob(name);
	if (search->wants_offsets && is_address)
		return error_set(error, EINVAL, "function - takes one address as name");
	if (search->wants_offsets)
		return 0;
	if (!is_address && (!strcmp(name, "entry") || !strcmp(name, "return")))
		return 0;
	errno = 0;
	search->offset = strtoull(name, &end, 16);
	search->is_offset =
		!*end && strspn(name, "0123456789abcdefABCDEF") == strlen(name) && errno == 0;
	if (search->is_offset)
		return 0;
	if (!*end && name[0] == '0' && (name[1] | 0x20) == 'x' && errno == 0)
		return error_set(error, EINVAL, "%s: an %s is written without 0x: %" PRIx64, name,
			is_address ? "address" : "offset", search->offset);
	suggestion_init(&suggestion, name);
	suggestion_offer(&suggestion, "entry");
	suggestion_offer(&suggestion, "return");
	return error_set(error, EINVAL, "%s is neither entry, return nor a hexadecimal %s%s", name,
		is_address ? "address" : "offset",
		suggestion_text(&suggestion, text, sizeof(text)));
}

bool pid_has_module(const struct pid_finder *finder, const char *module)
{
	for (size_t i = 0; i < finder->count; i++)
		if (matches_file(module, finder->files[i]))
			return true;
	return false;
}

int pid_find(struct pid_finder *finder, const struct pid_pattern *pattern, struct pid_list *list,
	struct error *error)
{
	struct pid_search search = {finder, pattern, list, list->count, 0, false, false, 0};
	size_t files = 0;
	int result = parse_name(&search, error);

	if (result < 0)
		return result;
	if (!strcmp(pattern->function, "-")) {
		result = search_address(&search, error);
	} else {
		for (size_t i = finder->searched; i < finder->count && result == 0; i++) {
			if (!matches_file(pattern->module, finder->files[i]))
				continue;
			files++;
			result = search_file(&search, finder->files[i]);
		}
		/* what is in no new file may well be in an old one */
		if (result == 0 && list->count == search.first && finder->searched)
			return error_set(error, ENOENT, "no file that is new has it");
		if (result == 0 && !files)
			return explain_module(&search, error);
		if (result == 0 && list->count == search.first)
			return explain_function(&search, files, error);
	}
	if (result == -E2BIG)
		error_set(error, E2BIG, "it matches more than %d probes", PID_PROBES_MAX);
	else if (result == -ENOMEM)
		error_set(error, ENOMEM, "out of memory");
	return result;
}

void pid_list_free(struct pid_list *list)
{
	free(list->probes);
	arena_free(&list->texts);
	*list = (struct pid_list){0};
}
