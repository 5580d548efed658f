/* effect.c: see effect.h. */
#include "engine/effect.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "engine/output/format.h"
#include "engine/value.h"
#include "program/option.h"

/* The text of a format; the caller frees it. NULL: no memory. */
static char *formatted(struct engine *engine, const struct d_action *action, const uint64_t *values)
{
	const struct format_context context = {
		.options = &engine->options, .places = &engine->places};

	return format_string(&context, &engine->program->formats[action->format], action, values);
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
