/* builtin_value.c: see builtin_value.h. */
#include "engine/machine/builtin_value.h"

#include <stdlib.h>
#include <string.h>

/* probeprov and similar. */
static const struct text *probe_text(struct engine *engine, enum engine_name which)
{
	struct engine_probe *entry = &engine->table[engine->firing.probe];
	const struct d_probe *probe = &engine->probes->probes[engine->firing.probe];
	const char *names[ENGINE_NAMES] = {
		probe->provider, probe->module, probe->function, probe->name};

	if (!entry->names) {
		struct text *texts = calloc(ENGINE_NAMES, sizeof(*texts));
		if (!texts)
			return NULL;
		for (unsigned i = 0; i < ENGINE_NAMES; i++) {
			const char *bytes = names[i] ? names[i] : "";
			uint32_t length = (uint32_t)strlen(bytes);
			texts[i] = (struct text){bytes, length, text_hash(bytes, length)};
		}
		entry->names = texts;
	}
	return &entry->names[which];
}

/* One of the texts about the process, which do not change during a batch. */
static const struct text *process_text(
	struct process_text *text, const struct event_process *process, const char *bytes)
{
	if (text->process != process) {
		bytes = bytes ? bytes : "";
		text->process = process;
		text->text.bytes = bytes;
		text->text.length = (uint32_t)strlen(bytes);
		text->text.hash = text_hash(bytes, text->text.length);
	}
	return &text->text;
}

/* The return address of the innermost frame; 0: not known. */
static uint64_t caller_of(const struct event_stack *stack)
{
	return stack->count > 1 ? stack->frames[1] : 0;
}

/* What the source has captured for a built-in variable; `b` is the number of a register. */
static uint64_t captured(const struct engine *engine, enum d_builtin which, unsigned b)
{
	const struct event_capture *capture = firing_capture(&engine->firing);

	if (!capture)
		return 0;
	switch (which) {
	case D_BUILTIN_CALLER:
		return caller_of(&capture->kernel);
	case D_BUILTIN_UCALLER:
		return caller_of(&capture->user);
	case D_BUILTIN_STACKDEPTH:
		return capture->kernel.count;
	case D_BUILTIN_USTACKDEPTH:
		return capture->user.count;
	case D_BUILTIN_CURTHREAD:
	case D_BUILTIN_PROCESS:
	case D_BUILTIN_THREAD:
	case D_BUILTIN_FILES:
		return capture->thread;
	case D_BUILTIN_UREGS:
		return b < capture->register_count ? capture->registers[b] : 0;
	case D_BUILTIN_ERRNO: /* only where a system call returns is there any */
		return (uint64_t)capture->error;
	default:
		return 0;
	}
}

/* cwd or root; NULL: the source could not read it. */
static const struct text *captured_path(struct engine *engine, enum d_builtin which)
{
	const struct event_capture *capture = firing_capture(&engine->firing);
	const char *path = !capture      ? NULL
		: which == D_BUILTIN_CWD ? capture->directory
					 : capture->root_directory;

	return path ? scratch_text(&engine->scratch, path, (uint32_t)strlen(path)) : NULL;
}

enum d_fault builtin_value(
	struct engine *engine, enum d_builtin which, unsigned b, uint64_t *result)
{
	const struct firing *firing = &engine->firing;
	const struct text *text;
	const char *words;

	switch (which) {
	case D_BUILTIN_PID:
		*result = firing->process->pid;
		return D_FAULT_NONE;
	case D_BUILTIN_PPID:
		*result = firing->process->ppid;
		return D_FAULT_NONE;
	case D_BUILTIN_UID:
		*result = firing->process->uid;
		return D_FAULT_NONE;
	case D_BUILTIN_GID:
		*result = firing->process->gid;
		return D_FAULT_NONE;
	case D_BUILTIN_TID:
		*result = firing->tid;
		return D_FAULT_NONE;
	case D_BUILTIN_CPU:
		*result = firing->cpu;
		return D_FAULT_NONE;
	case D_BUILTIN_ID:
		*result = (uint64_t)firing->probe + 1;
		return D_FAULT_NONE;
	case D_BUILTIN_EPID:
		*result = firing->enabling;
		return D_FAULT_NONE;
	case D_BUILTIN_TIMESTAMP:
		*result = firing->time;
		return D_FAULT_NONE;
	case D_BUILTIN_VTIMESTAMP: /* the tracer's own events use no CPU time of the program */
		*result = firing->event ? firing->event->cpu_time : 0;
		return D_FAULT_NONE;
	case D_BUILTIN_WALLTIMESTAMP:
		*result = firing->time + (uint64_t)firing->wall_offset;
		return D_FAULT_NONE;
	case D_BUILTIN_EXECNAME:
		text = process_text(&engine->name, firing->process, firing->process->execname);
		break;
	case D_BUILTIN_EXECARGS:
		words = firing_capture(firing) ? firing_capture(firing)->program_arguments : NULL;
		if (words) {
			text = scratch_text(&engine->scratch, words, (uint32_t)strlen(words));
			break;
		}
		text = process_text(
			&engine->arguments, firing->process, firing->process->arguments);
		break;
	case D_BUILTIN_CWD:
	case D_BUILTIN_ROOT:
		text = captured_path(engine, which);
		if (!text)
			return fault_set(engine, D_FAULT_BADADDR, 0);
		break;
	case D_BUILTIN_CALLER:
	case D_BUILTIN_UCALLER:
	case D_BUILTIN_CURTHREAD:
	case D_BUILTIN_PROCESS:
	case D_BUILTIN_THREAD:
	case D_BUILTIN_FILES:
	case D_BUILTIN_STACKDEPTH:
	case D_BUILTIN_USTACKDEPTH:
	case D_BUILTIN_UREGS:
		*result = captured(engine, which, b);
		return D_FAULT_NONE;
	case D_BUILTIN_IPL:
		*result = 0;
		return D_FAULT_NONE;
	case D_BUILTIN_ERRNO:
		*result = captured(engine, which, b);
		return D_FAULT_NONE;
	case D_BUILTIN_PROBEPROV:
		text = probe_text(engine, ENGINE_NAME_PROVIDER);
		break;
	case D_BUILTIN_PROBEMOD:
		text = probe_text(engine, ENGINE_NAME_MODULE);
		break;
	case D_BUILTIN_PROBEFUNC:
		text = probe_text(engine, ENGINE_NAME_FUNCTION);
		break;
	case D_BUILTIN_PROBENAME:
		text = probe_text(engine, ENGINE_NAME_NAME);
		break;
	default: /* not possible: sources were checked before the start */
		return fault_set(engine, D_FAULT_ILLOP, 0);
	}
	if (text && text->length > engine->string_limit)
		text = scratch_part(&engine->scratch, text, 0, engine->string_limit);
	if (!text)
		return fault_set(engine, D_FAULT_NOSCRATCH, 0);
	*result = value_of_text(text);
	return D_FAULT_NONE;
}
