/*
 * flame_trace.c: see flame_trace.h. The trace has a writer that puts the rows of @time into the
 * tree: the outermost frame of the user's stack first, then the kernel's frames, so that the time
 * in a system call is part of the function that called it. What clauses print goes to a text
 * writer.
 */
#include "cli/flame/flame_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "cli/cli.h"
#include "cli/flame/exact_calls.h"
#include "cli/jvm_map.h"
#include "cli/process_script.h"
#include "cli/sample_notes.h"
#include "cli/trace/trace.h"
#include "cli/trace/trace_options.h"
#include "engine/output/derived_writer.h"
#include "engine/output/place_text.h"
#include "engine/store/value.h"
#include "targets/target_kinds.h"
#include "targets/target_streams.h"

enum { FRAMES_MAX = 1024 };

struct flame_writer {
	struct derived_writer derived; /* derived.text.writer is for struct trace */
	struct flame_traced *traced;
	const struct target_spec *spec; /* what is traced */
	struct exact_calls *exact;      /* NULL: by samples */
	struct sample_notes notes;
	bool names_processes; /* the outermost frame is the process */
	bool has_failed;      /* out of memory */
};

static struct flame_writer *flame_of(struct writer *writer)
{
	return (struct flame_writer *)((char *)writer -
		offsetof(struct flame_writer, derived.text.writer));
}

/* Moves to the node of a frame. At a tree that is full, deeper frames count for their callers. */
static void descend(struct flame_writer *flame, uint32_t *node, const char *text, size_t length)
{
	struct call_tree *tree = flame->traced->tree;
	uint32_t name = call_tree_name(tree, text, length), next;

	if (!name) {
		flame->has_failed = true;
		return;
	}
	next = call_tree_child(tree, *node, name);
	if (next != UINT32_MAX)
		*node = next;
}

/* Moves to the node of a stack's innermost frame; its outermost one comes first. */
static void descend_stack(struct flame_writer *flame, uint32_t *node, enum d_value_kind kind,
	const struct text *stack)
{
	struct places *places = flame->derived.text.context.places;
	uint64_t begins[FRAMES_MAX], at = 0;
	char buffer[PLACE_TEXT_MAX];
	size_t count = 0;

	if (!stack)
		return;
	for (; count < FRAMES_MAX; count++) {
		begins[count] = at;
		if (!place_frame_name(places, kind, stack, &at, buffer))
			break;
	}
	while (count--) {
		at = begins[count];
		place_frame_name(places, kind, stack, &at, buffer);
		descend(flame, node, buffer, strlen(buffer));
	}
}

/* Keys: the process, its name, and stacks, the innermost one first. */
static void take_row(struct flame_writer *flame, const struct aggregate *aggregate,
	const struct aggregate_row *row)
{
	uint64_t spent = (uint64_t)aggregate_number(aggregate, row->data[0], aggregate->normal);
	uint32_t node = 0, before;
	char text[128];

	if (flame->names_processes && row->shape->count > 1 &&
		row->shape->types[1].kind == D_VALUE_STRING) {
		const struct text *name = value_text(row->keys[1]);

		snprintf(text, sizeof(text), "%.*s (%" PRIu64 ")", name ? (int)name->length : 0,
			name ? name->bytes : "", row->keys[0]);
		descend(flame, &node, text, strlen(text));
	}
	before = node;
	for (unsigned key = row->shape->count; key-- > 0 && !flame->has_failed;) {
		enum d_value_kind kind = row->shape->types[key].kind;

		if (d_value_is_stack(kind))
			descend_stack(flame, &node, kind, value_text(row->keys[key]));
	}
	if (node == before)
		descend(flame, &node, "[no stack]", strlen("[no stack]"));
	sample_notes_take(&flame->notes, flame->derived.text.context.places, row, spent);
	flame->traced->tree->nodes[node].self += spent;
	if (flame->traced->is_kernel)
		flame->traced->samples += spent / PROCESS_SCRIPT_PERIOD;
}

/* Counts the samples of streams. Each weighs as much as the time since the one before it. */
static void take_samples(struct flame_writer *flame, const struct aggregate *aggregate,
	const struct aggregate_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		flame->traced->samples += (uint64_t)aggregate_number(
			aggregate, rows->rows[i].data[0], aggregate->normal);
}

/* What a JVM has compiled until now can be named: all rows follow. */
static void begin_summary(struct writer *writer)
{
	struct flame_writer *flame = flame_of(writer);

	if (flame->traced->is_kernel)
		jvm_map_ask(flame->spec);
}

static void write_summary(struct writer *writer, const struct aggregate_rows *rows)
{
	struct flame_writer *flame = flame_of(writer);
	const struct aggregate *aggregate = rows->aggregates[0];

	if (aggregate->definition->name && !strcmp(aggregate->definition->name, "samples"))
		take_samples(flame, aggregate, rows);
	if (!aggregate->definition->name || strcmp(aggregate->definition->name, "time") != 0)
		return;
	for (size_t i = 0; i < rows->count && !flame->has_failed; i++)
		take_row(flame, aggregate, &rows->rows[i]);
}

/* Other lines than the script's are somebody's clause of option -n. */
static void write_printf(struct writer *writer, const struct d_format *format,
	const struct d_action *action, const uint64_t *values)
{
	struct flame_writer *flame = flame_of(writer);

	if (!flame->exact)
		flame->derived.text_operations->printf(writer, format, action, values);
	else if (!exact_calls_take(flame->exact, action, values))
		flame->has_failed = true;
	if (flame->exact && exact_calls_waits(flame->exact))
		exact_calls_remind(flame->spec);
}

static void write_drop(struct writer *writer, const struct writer_drop *drop)
{
	struct flame_writer *flame = flame_of(writer);

	if (drop->kind == DROP_PRINCIPAL)
		flame->traced->lost += drop->count;
	if (flame->exact)
		exact_calls_lose(flame->exact);
	flame->derived.text_operations->drop(writer, drop);
}

static const struct writer_operations operations = {
	.summary_begin = begin_summary,
	.summary = write_summary,
	.drop = write_drop,
	.printf = write_printf,
};

static void flame_writer_init(
	struct flame_writer *flame, struct flame_traced *traced, const struct target_spec *spec)
{
	*flame = (struct flame_writer){.traced = traced,
		.spec = spec,
		.names_processes = spec->count != 1 || spec->follows || spec->name};
	derived_writer_init(&flame->derived, &operations, stderr, stderr);
}

/* Gives the writer what it collects calls with. Returns false if memory has run out. */
static bool collect_calls(struct flame_writer *flame, enum stacks_measure measure)
{
	flame->exact = exact_calls_new(flame->traced->tree, measure,
		flame->names_processes ? EXACT_CALLS_NAMED : EXACT_CALLS_ONE);
	return flame->exact;
}

/* What is traced, in words: "python3 (4711)". */
static void name_targets(struct flame_traced *traced, const struct target_spec *spec)
{
	const struct target_item *item = spec->count ? &spec->items[0] : NULL;
	size_t length;

	if (!item)
		snprintf(traced->name, sizeof(traced->name), "%s",
			spec->name ? spec->name : "all processes");
	else
		target_kind_methods(item->kind)->title(item, traced->name, sizeof(traced->name));
	length = strlen(traced->name);
	if (spec->count > 1 && length < sizeof(traced->name))
		snprintf(traced->name + length, sizeof(traced->name) - length, " and %zu more",
			spec->count - 1);
}

/* The script for the targets; NULL: out of memory. */
static char *make_script(const struct target_spec *spec, bool is_kernel)
{
	char *text = NULL;

	if (is_kernel)
		return process_script(spec, PROCESS_SCRIPT_NAMED);
	return asprintf(&text,
		       "#pragma D option quiet\n#pragma D option sample=%dhz\n"
		       "#pragma D option aggsize=64m\n#pragma D option jstackframes=1024\n"
		       "vm*:::sample { @time[pid, execname, jstack()] = sum(arg2); "
		       "@samples = count(); }\n",
		       PROCESS_SCRIPT_HZ) < 0
		? NULL
		: text;
}

/* Looks at what is to be traced, and chooses the script for it. */
static int choose_script(
	struct flame_traced *traced, struct trace *trace, const struct flame_trace_wish *wish)
{
	enum target_streams streams;
	struct error error;

	if (wish->is_exact) {
		if (exact_calls_refused(&trace->spec, "flame", wish->output))
			return CLI_CANNOT;
		return trace_replace_bundled(trace, exact_calls_script(&trace->spec));
	}
	if (target_streams_look(&trace->spec, &streams, &error)) {
		cli_message("%s", error.text);
		return CLI_CANNOT;
	}
	traced->is_kernel = streams != TARGET_STREAMS_ALL;
	if (traced->is_kernel && wish->is_elapsed)
		return cli_usage("flame",
			"--wall: the kernel samples what runs, not what waits; 'vmtap trace "
			"off_cpu_by_stack' shows waits");
	if (streams == TARGET_STREAMS_SOME)
		process_script_tell_mixed(&trace->spec);
	return trace_replace_bundled(trace, make_script(&trace->spec, traced->is_kernel));
}

int flame_trace(
	struct flame_traced *traced, int argc, char **words, const struct flame_trace_wish *wish)
{
	struct flame_writer writer = {.exact = NULL};
	struct trace trace;
	int status = trace_options_parse(&trace, argc, words, "top");

	if (!status)
		status = choose_script(traced, &trace, wish);
	if (!status) {
		name_targets(traced, &trace.spec);
		flame_writer_init(&writer, traced, &trace.spec);
		trace.writer = &writer.derived.text.writer;
		trace.samples_elapsed = wish->is_elapsed;
		trace.seconds = wish->seconds;
		if (wish->is_exact && !collect_calls(&writer, wish->measure))
			writer.has_failed = true;
		else
			status = trace_target(&trace);
		if (wish->is_exact && writer.exact) {
			traced->samples = exact_calls_total(writer.exact);
			traced->cost = *exact_calls_cost(writer.exact);
		}
		if (status && wish->is_exact && traced->tree->count == 1)
			cli_message("without --exact, 'vmtap flame' shows any program, by samples");
		if (!status && writer.has_failed) {
			cli_message("out of memory");
			status = CLI_CANNOT;
		}
		if (!status)
			sample_notes_tell(&writer.notes);
	}
	exact_calls_free(writer.exact);
	trace_options_free(&trace);
	return status;
}
