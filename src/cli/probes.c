/* probes.c: see probes.h. */
#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clean_text.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/probes.h"

static int open_process(const char *argument, struct probes_target *target, struct error *error)
{
	unsigned long pid;

	errno = 0;
	pid = strtoul(argument, NULL, 10);
	if (errno != 0 || pid == 0 || pid > INT_MAX)
		return error_set(error, ESRCH, "process %s does not exist", argument);
	return usdt_process_open((pid_t)pid, &target->process, error);
}

int probes_open(const char *argument, struct probes_target *target, struct error *error)
{
	int result;

	*target = (struct probes_target){.argument = argument};
	if (!cli_is_pid(argument))
		return usdt_image_open(argument, NULL, &target->file, error);
	result = open_process(argument, target, error);
	if (result == -ESRCH && access(argument, F_OK) == 0)
		error_set(error, ESRCH, "process %s does not exist; the file of that name is ./%s",
			argument, argument);
	return result;
}

void probes_close(struct probes_target *target)
{
	usdt_process_free(target->process);
	usdt_image_free(target->file);
}

size_t probes_count(const struct probes_target *target)
{
	return target->process ? target->process->object_count : 1;
}

const struct usdt_image *probes_image(
	const struct probes_target *target, size_t index, const struct usdt_object **object)
{
	*object = target->process ? &target->process->objects[index] : NULL;
	return *object ? (*object)->image : target->file;
}

size_t probes_report_problems(const struct probes_target *target)
{
	size_t count = 0;

	for (size_t i = 0; target->process && i < target->process->object_count; i++) {
		if (target->process->objects[i].problem) {
			cli_message("%s", target->process->objects[i].problem);
			count++;
		}
	}
	return count;
}

const char *probes_module(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

const char *probes_argument_text(const struct operand_argument *argument, char *text, size_t size)
{
	int length = argument->text_length < size ? (int)argument->text_length : (int)size;

	if (argument->size == 0)
		snprintf(text, size, "%.*s", length, argument->text);
	else
		snprintf(text, size, "%s%d%s@%.*s", argument->is_signed ? "-" : "", argument->size,
			argument->is_float ? "f" : "", length, argument->text);
	return text;
}

const char *probes_argument_type(const struct operand_argument *argument, char *text, size_t size)
{
	if (argument->size == 0)
		snprintf(text, size, "no size");
	else if (argument->is_float && (argument->size == 4 || argument->size == 8))
		snprintf(text, size, "%s", argument->size == 4 ? "float" : "double");
	else if (argument->is_float)
		snprintf(text, size, "float%d_t", argument->size * 8);
	else
		snprintf(text, size, "%sint%d_t", argument->is_signed ? "" : "u",
			argument->size * 8);
	return text;
}

const char *probes_place_text(const struct usdt_place *place, char *text, size_t size)
{
	if (place->relocation)
		snprintf(text, size, "%s", place->relocation);
	else
		snprintf(text, size, "0x%" PRIx64, place->address);
	return text;
}

void probes_print(const char *text)
{
	clean_text_print(stdout, text);
}

json_t *probes_json_text(const char *text)
{
	static const char replacement[] = "\xef\xbf\xbd";
	const char *end;
	char *clean, *to;
	json_t *json;

	if (!text)
		return json_null();
	end = text + strlen(text);
	clean = to = malloc((size_t)(end - text) * 3 + 1);
	if (!clean)
		return NULL;
	while (text < end) {
		size_t bytes = utf8_bytes(text, (size_t)(end - text));

		memcpy(to, bytes ? text : replacement, bytes ? bytes : 3);
		to += bytes ? bytes : 3;
		text += bytes ? bytes : 1;
	}
	*to = 0;
	json = json_string(clean);
	free(clean);
	return json;
}

json_t *probes_json_address(unsigned long long address)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", address);
	return json_string(text);
}

json_t *probes_json_argument(const struct operand_argument *argument)
{
	static const char *const kinds[] = {
		"verbatim", "unknown", "constant", "register", "memory", "symbol"};
	json_t *json = json_object();
	char text[512];

	snprintf(text, sizeof(text), "%.*s", (int)argument->text_length, argument->text);
	json_object_set_new(json, "size", json_integer(argument->size));
	json_object_set_new(json, "signed", json_boolean(argument->is_signed));
	json_object_set_new(json, "float", json_boolean(argument->is_float));
	json_object_set_new(json, "operand", probes_json_text(text));
	json_object_set_new(json, "form", json_string(kinds[argument->operand.kind]));
	return json;
}

void probes_json_print(json_t *document)
{
	json_dumpf(document, stdout, JSON_INDENT(2) | JSON_ENSURE_ASCII);
	putchar('\n');
	json_decref(document);
}

int probes_finish(int status)
{
	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	cli_message("standard output: %m");
	return CLI_CANNOT;
}
