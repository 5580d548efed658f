/* effect.c: see effect.h. */
#include "engine/machine/effect.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean_text.h"
#include "engine/output/format.h"
#include "engine/store/value.h"
#include "engine/subroutine/shell_word.h"
#include "program/option.h"

/* The text of a format; the caller frees it. NULL: no memory. */
static char *formatted(struct engine *engine, const struct d_action *action, const uint64_t *values)
{
	const struct format_context context = {.options = &engine->options,
		.places = &engine->places,
		.quotes = action->kind == D_ACTION_SYSTEM};

	return format_string(&context, &engine->program->formats[action->format], action, values);
}

static int refuse(struct error *error, const char *action, const char *bytes, size_t length,
	const char *reason)
{
	char shown[64];

	clean_text(shown, sizeof(shown), bytes, length, false);
	return error_set(error, EPERM,
		"%s(): '%s' is text of the traced program: %s; -x unsafesystem allows it", action,
		shown, reason);
}

/* The text that a conversion prints, if it is a string or a character. False: it is neither. */
static bool inserted(const struct d_conversion *conversion, uint64_t value, char *byte,
	const char **bytes, size_t *length)
{
	const struct text *text;

	if (conversion->kind == D_CONVERT_CHARACTER) {
		*byte = (char)value;
		*bytes = byte;
		*length = 1;
		return true;
	}
	if (conversion->kind != D_CONVERT_STRING)
		return false;
	text = value_text(value);
	*bytes = text->bytes;
	*length = strnlen(text->bytes, text->length);
	return true;
}

/*
 * What the traced program chooses must neither be a command, nor more than one argument of one, nor
 * lead out of the directory of a file. Strings that the script spells out are its own.
 */
static int check_texts(struct engine *engine, const struct d_action *action, const uint64_t *values,
	struct error *error)
{
	const struct d_format *format = &engine->program->formats[action->format];
	bool is_command = action->kind == D_ACTION_SYSTEM;
	struct shell_word word;
	unsigned next = 0;

	shell_word_init(&word);
	for (size_t i = 0; i < format->count; i++) {
		const struct d_conversion *conversion = &format->conversions[i];
		const char *bytes = "", *reason = NULL;
		bool is_quoted = conversion->group && conversion->kind == D_CONVERT_STRING, is_own;
		size_t length = 0;
		char byte;

		shell_word_text(&word, conversion->before.bytes, conversion->before.length);
		if (!conversion->present)
			continue;
		next += conversion->width_argument + conversion->precision_argument;
		if (next >= action->argument_count)
			break;
		is_own = action->literals >> next & 1;
		if (inserted(conversion, values[next], &byte, &bytes, &length)) {
			if (is_command && !is_own)
				reason = shell_word_refusal(&word, bytes, length, is_quoted);
			else if (!is_own && memchr(bytes, '/', length))
				reason = "it names another directory";
			if (reason)
				return refuse(error, is_command ? "system" : "freopen", bytes,
					length, reason);
		} else if (conversion->kind == D_CONVERT_PLACE ||
			conversion->kind == D_CONVERT_STACK || conversion->kind == D_CONVERT_WIDE) {
			return error_set(error, EPERM,
				"%s(): %%%c prints names of the traced program: %s; -x "
				"unsafesystem allows it",
				is_command ? "system" : "freopen", conversion->letter,
				is_command ? "the shell might take them for commands"
					   : "they might name another directory");
		}
		if (is_own && !is_quoted)
			shell_word_text(&word, bytes, length);
		else
			shell_word_inserted(&word);
		next++;
	}
	return 0;
}

static int set_option(struct engine *engine, const struct d_action *action, const uint64_t *values,
	struct error *error)
{
	const char *name = value_text(values[0])->bytes, *wrong;
	const char *value = action->argument_count > 1 ? value_text(values[1])->bytes : "1";

	wrong = d_option_set_running(&engine->options, name, value);
	return wrong ? error_set(error, EINVAL, "couldn't set option \"%.100s\" to \"%.100s\": %s",
			       name, value, wrong)
		     : 0;
}

static int run(struct engine *engine, const struct d_action *action, const uint64_t *values,
	struct error *error)
{
	const struct engine_effects *effects = engine->effects;
	char *text = NULL;
	int result;

	if (action->kind == D_ACTION_SETOPT)
		return set_option(engine, action, values, error);
	if (!effects)
		return error_set(error, ENOTSUP, "commands and files are out of reach here");
	/*
	 * What has been printed so far must come before a command's output, or go into the old
	 * file.
	 */
	engine->writer->operations->flush(engine->writer);
	if (action->kind == D_ACTION_FTRUNCATE)
		return effects->truncate(effects->context, error);
	if (!engine->options.unsafesystem) {
		result = check_texts(engine, action, values, error);
		if (result)
			return result;
	}
	text = formatted(engine, action, values);
	if (!text)
		return error_set(error, ENOMEM, "out of memory");
	if (action->kind == D_ACTION_SYSTEM)
		result = effects->command(effects->context, text, error);
	else
		result = effects->redirect(effects->context, text, error);
	free(text);
	return result;
}

/* An action of this clause on this probe has failed. */
static void report_failure(struct engine *engine, uint32_t clause, uint32_t probe,
	enum d_action_kind action, const char *text)
{
	const struct writer_fault fault = {.probe = &engine->probes->probes[probe],
		.probe_id = probe + 1,
		.clause = clause,
		.action = action,
		.text = text};

	engine->writer->operations->fault(engine->writer, &fault);
}

void effect_carry_out(struct engine *engine, const struct recorded *recorded,
	const struct d_action *action, const uint64_t *values)
{
	struct error error = {""};

	if (run(engine, action, values, &error))
		report_failure(engine, recorded->clause, recorded->probe, action->kind, error.text);
}

/* tid 0: the whole process. */
static void send_signal(struct engine *engine, enum d_action_kind action, uint32_t tid, int signal)
{
	const struct engine_effects *effects = engine->effects;
	const struct firing *firing = &engine->firing;
	struct error error = {""};
	int result;

	if (effects)
		result = effects->signal(
			effects->context, firing->process->pid, tid, signal, &error);
	else
		result = error_set(&error, ENOTSUP, "no process can be reached from here");
	if (result)
		report_failure(engine, engine->running, firing->probe, action, error.text);
}

void effect_raise(struct engine *engine, int signal)
{
	send_signal(engine, D_ACTION_RAISE, engine->firing.tid, signal);
}

void effect_stop(struct engine *engine)
{
	send_signal(engine, D_ACTION_STOP, 0, SIGSTOP);
}
