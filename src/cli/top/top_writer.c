/* top_writer.c: see top_writer.h. */
#include "cli/top/top_writer.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/method_text.h"
#include "engine/output/place_text.h"
#include "engine/store/value.h"
#include "usdt/process/process_info.h"

enum { FRAMES_MAX = 256 };

/* What an aggregation of this name is for. */
enum use { USE_TIME, USE_CALLER_TIME, USE_COLUMN, USE_FIGURE };

static const struct meaning {
	const char *name;
	enum use use;
	unsigned which; /* column or figure */
} meanings[] = {
	{"time", USE_TIME, 0},
	{"caller_time", USE_CALLER_TIME, 0},
	{"self", USE_COLUMN, TOP_SELF},
	{"total", USE_COLUMN, TOP_TOTAL},
	{"calls", USE_COLUMN, TOP_CALLS},
	{"bytes", USE_COLUMN, TOP_BYTES},
	{"collecting", USE_FIGURE, TOP_COLLECTING},
	{"paused", USE_FIGURE, TOP_PAUSED},
	{"pauses", USE_FIGURE, TOP_PAUSES},
	{"allocated", USE_FIGURE, TOP_ALLOCATED},
	{"threads", USE_FIGURE, TOP_THREADS},
};

enum { MEANINGS = sizeof(meanings) / sizeof(meanings[0]) };

static struct top_writer *top_of(struct writer *writer)
{
	return (struct top_writer *)((char *)writer -
		offsetof(struct top_writer, derived.text.writer));
}

static const struct meaning *meaning_of(const struct d_aggregation *definition)
{
	for (unsigned i = 0; i < MEANINGS; i++)
		if (definition->name && !strcmp(definition->name, meanings[i].name))
			return &meanings[i];
	return NULL;
}

/* ---- keys ---- */

static bool is_stack_key(const struct aggregate_row *row, unsigned key)
{
	return key < row->shape->count && d_value_is_stack(row->shape->types[key].kind);
}

/* The process, 0: the row names none, and the first key after it. */
static uint64_t take_pid(const struct aggregate_row *row, unsigned *key)
{
	const struct d_value_type *type = row->shape->types;

	*key = 0;
	if (!row->shape->count || d_value_is_text(type->kind))
		return 0;
	*key = 1;
	return value_cut(row->keys[0], type->size, type->is_signed);
}

/* The strings from a key on: a name, or a class and a method. Returns the length of their text. */
static size_t join_strings(
	const struct aggregate_row *row, unsigned key, char name[TOP_NAME_MAX + 1])
{
	struct method_part parts[2] = {{"", 0}, {"", 0}};

	for (; key < row->shape->count; key++) {
		const struct d_value_type *type = &row->shape->types[key];
		const struct text *text =
			type->kind == D_VALUE_STRING ? value_text(row->keys[key]) : NULL;

		if (!text || !text->length)
			continue;
		parts[0] = parts[1];
		parts[1] = (struct method_part){text->bytes, text->length};
	}
	return method_text(name, TOP_NAME_MAX + 1, parts[0], parts[1]);
}

static uint64_t hash_more(uint64_t hash, const void *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		hash = (hash ^ ((const unsigned char *)bytes)[i]) * UINT64_C(1099511628211);
	return hash;
}

/* One number for each row of all aggregations that have a meaning. */
static uint64_t key_of(const struct meaning *meaning, const struct aggregate_row *row)
{
	uint64_t hash = hash_more(UINT64_C(14695981039346656037),
		&(size_t){(size_t)(meaning - meanings)}, sizeof(size_t));

	for (unsigned i = 0; i < row->shape->count; i++) {
		const struct d_value_type *type = &row->shape->types[i];
		const struct text *text =
			d_value_is_text(type->kind) ? value_text(row->keys[i]) : NULL;

		if (text)
			hash = hash_more(hash, text->bytes, text->length);
		else
			hash = hash_more(hash, &row->keys[i], sizeof(row->keys[i]));
		hash = hash_more(hash, &i, sizeof(i));
	}
	return hash;
}

/* ---- rows ---- */

static int method_of(
	struct top_table *table, uint64_t pid, const char *name, size_t length, size_t *method)
{
	if (!length)
		return top_table_method(table, pid, "(no method)", strlen("(no method)"), method);
	return top_table_method(table, pid, name, length, method);
}

/* The next frame of the stacks from a key on, which continue each other: the kernel's, the user's.
 */
static const char *next_frame(struct places *places, const struct aggregate_row *row, unsigned *key,
	uint64_t *at, char buffer[PLACE_TEXT_MAX])
{
	const char *text;

	for (; is_stack_key(row, *key); (*key)++, *at = 0) {
		text = place_frame_name(places, row->shape->types[*key].kind,
			value_text(row->keys[*key]), at, buffer);
		if (text)
			return text;
	}
	return NULL;
}

/* Counts time for what has no frame: code outside of methods, or a stack that could not be read. */
static int spend_nameless(
	struct top_table *table, uint64_t pid, enum d_value_kind kind, uint64_t spent)
{
	const char *name = kind == D_VALUE_GUEST_STACK ? "(no method)" : "[no stack]";
	size_t method;
	int result = top_table_method(table, pid, name, strlen(name), &method);

	if (result)
		return result;
	top_table_spend(table, method, TOP_SELF, spent);
	top_table_spend(table, method, TOP_TOTAL, spent);
	return 0;
}

static bool has_method(const size_t *methods, size_t count, size_t method)
{
	for (size_t i = 0; i < count; i++)
		if (methods[i] == method)
			return true;
	return false;
}

/*
 * Counts time for the frames of a stack, for each method once: the methods of recursion are there
 * several times. skipped: innermost frames that it does not belong to. Time without a frame counts,
 * too, so that the rows add up to what has been spent.
 */
static int spend_stack(struct top_writer *top, uint64_t pid, const struct aggregate_row *row,
	unsigned key, unsigned skipped, uint64_t spent)
{
	struct places *places = top->derived.text.context.places;
	size_t methods[FRAMES_MAX], count = 0;
	char buffer[PLACE_TEXT_MAX];
	const char *text;
	uint64_t at = 0;
	enum d_value_kind kind = row->shape->types[key].kind;
	bool is_empty = true;
	int result = 0;

	while (count < FRAMES_MAX && (text = next_frame(places, row, &key, &at, buffer))) {
		size_t method;

		is_empty = false;
		if (skipped) {
			skipped--;
			continue;
		}
		result = method_of(top->table, pid, text, strlen(text), &method);
		if (result)
			return result;
		if (has_method(methods, count, method))
			continue;
		if (!count)
			top_table_spend(top->table, method, TOP_SELF, spent);
		top_table_spend(top->table, method, TOP_TOTAL, spent);
		methods[count++] = method;
	}
	if (is_empty)
		return spend_nameless(top->table, pid, kind, spent);
	return 0;
}

static int spend_column(struct top_writer *top, uint64_t pid, const struct aggregate_row *row,
	unsigned key, enum top_column column, uint64_t spent)
{
	char name[TOP_NAME_MAX + 1], buffer[PLACE_TEXT_MAX];
	const char *text = name;
	size_t length, method;
	uint64_t at = 0;
	int result;

	if (is_stack_key(row, key)) {
		text = place_frame_name(top->derived.text.context.places,
			row->shape->types[key].kind, value_text(row->keys[key]), &at, buffer);
		length = text ? strlen(text) : 0;
	} else {
		length = join_strings(row, key, name);
	}
	result = method_of(top->table, pid, text, length, &method);
	if (!result)
		top_table_spend(top->table, method, column, spent);
	return result;
}

/* The VM of a pid. Its program is asked for if no figure has told it so far. */
static struct top_vm *vm_of(struct top_writer *top, uint64_t pid)
{
	struct top_vm *vm = top_table_vm(top->table, pid);
	struct process_info process;
	struct error ignored;

	if (!vm || vm->is_asked)
		return vm;
	vm->is_asked = true;
	if (!*vm->program && pid <= UINT32_MAX &&
		!process_info_read((uint32_t)pid, &process, &ignored))
		snprintf(vm->program, sizeof(vm->program), "%.*s", TOP_PROGRAM_MAX, process.name);
	return vm;
}

static int take_row(struct top_writer *top, const struct meaning *meaning,
	const struct aggregate *aggregate, const struct aggregate_row *row)
{
	uint64_t value = (uint64_t)aggregate_number(aggregate, row->data[0], aggregate->normal);
	char name[TOP_NAME_MAX + 1];
	struct top_vm *vm;
	uint64_t pid, spent;
	unsigned key;
	int result;

	pid = take_pid(row, &key);
	if (meaning->use == USE_FIGURE) {
		join_strings(row, key, name);
		return top_table_figure(
			top->table, pid, name, (enum top_figure)meaning->which, value);
	}
	result = top_table_grown(top->table, key_of(meaning, row), value, &spent);
	if (result || !spent)
		return result;
	vm = vm_of(top, pid);
	if (!vm)
		return -ENOMEM;
	vm->is_active = true;
	vm->time += meaning->use == USE_TIME ? spent : 0;
	if (meaning->use == USE_COLUMN)
		return spend_column(top, pid, row, key, (enum top_column)meaning->which, spent);
	if (!is_stack_key(row, key))
		return spend_column(top, pid, row, key, TOP_SELF, spent);
	sample_notes_take(&top->notes, top->derived.text.context.places, row, spent);
	return spend_stack(top, pid, row, key, meaning->use == USE_CALLER_TIME, spent);
}

/* ---- calls ---- */

/* Counts what was spent in a node itself: for each method of its stack once. */
static int spend_node(struct top_writer *top, uint32_t node, uint64_t spent, uint64_t calls)
{
	const struct call_tree *tree = &top->tree;
	uint64_t pid = exact_calls_pid(top->exact, node);
	struct top_vm *vm = top_table_vm(top->table, pid);
	size_t methods[FRAMES_MAX], count = 0;

	if (!vm)
		return -ENOMEM;
	vm->is_active = true;
	for (; node && tree->nodes[node].parent && count < FRAMES_MAX;
		node = tree->nodes[node].parent) {
		const struct call_frame_name *name = &tree->names[tree->nodes[node].name];
		size_t method;
		int result = method_of(top->table, pid, name->text, name->length, &method);

		if (result)
			return result;
		if (has_method(methods, count, method))
			continue;
		if (!count) {
			top_table_spend(top->table, method, TOP_SELF, spent);
			top_table_spend(top->table, method, TOP_CALLS, calls);
		}
		top_table_spend(top->table, method, TOP_TOTAL, spent);
		methods[count++] = method;
	}
	return 0;
}

/* Puts into the table what has been spent since the last snapshot. */
static int spend_calls(struct top_writer *top)
{
	unsigned percent;
	size_t count;
	const struct exact_process *processes = exact_calls_processes(top->exact, &count);
	int result = 0;

	for (size_t i = 0; i < count && !result; i++)
		result = top_table_figure(top->table, processes[i].pid, processes[i].name,
			TOP_THREADS, processes[i].threads);
	for (uint32_t node = 1; node < top->tree.count && !result; node++) {
		uint64_t spent = top->tree.nodes[node].self;
		uint64_t calls = exact_calls_counted(top->exact, node);

		top->tree.nodes[node].self = 0;
		top->spent += spent;
		if (spent || calls)
			result = spend_node(top, node, spent, calls);
	}
	percent = call_cost_percent(exact_calls_cost(top->exact), top->spent);
	snprintf(top->measure, sizeof(top->measure),
		"elapsed time, at least %u %% of it the probes' own", percent);
	if (percent)
		top->table->measure = top->measure;
	return result;
}

/* ---- the operations ---- */

/* Whether the table on the screen is the last one: while a trace ends, less is measured. */
static bool is_kept(const struct top_writer *top)
{
	return top->is_ending && top->table->least && top->table->interval;
}

static void begin_summary(struct writer *writer)
{
	struct top_writer *top = top_of(writer);

	top->is_open = !*top->is_paused && !is_kept(top);
	if (top->is_open)
		top_table_begin(top->table, clock_monotonic());
	if (top->is_open && top->exact && !top->derived.error)
		top->derived.error = -spend_calls(top);
}

/* Other lines than the script's are somebody's clause of option -n. */
static void write_printf(struct writer *writer, const struct d_format *format,
	const struct d_action *action, const uint64_t *values)
{
	struct top_writer *top = top_of(writer);

	if (!top->exact)
		top->derived.text_operations->printf(writer, format, action, values);
	else if (!exact_calls_take(top->exact, action, values) && !top->derived.error)
		top->derived.error = ENOMEM;
}

static void write_summary(struct writer *writer, const struct aggregate_rows *rows)
{
	struct top_writer *top = top_of(writer);
	const struct aggregate *aggregate = rows->aggregates[0];
	const struct meaning *meaning = meaning_of(aggregate->definition);

	if (!top->is_open || !meaning || aggregate_is_distribution(aggregate))
		return;
	for (size_t i = 0; i < rows->count && !top->derived.error; i++)
		top->derived.error = -take_row(top, meaning, aggregate, &rows->rows[i]);
}

/* A process that has ended stays as long as an interval has something of it. */
static void note_ends(struct top_table *table)
{
	for (size_t i = 0; i < table->vm_count; i++) {
		struct top_vm *vm = &table->vms[i];
		bool is_active = vm->is_active;

		for (int j = 0; j < TOP_FIGURES; j++)
			is_active |= j != TOP_THREADS && vm->spent[j];
		vm->is_ended = !is_active && kill((pid_t)vm->pid, 0) && errno == ESRCH;
	}
}

static void flush(struct writer *writer)
{
	struct top_writer *top = top_of(writer);
	int error;

	top->derived.text_operations->flush(writer);
	if (!top->is_open)
		return;
	top->is_open = false;
	note_ends(top->table);
	error = top->show(top->context);
	if (error && !top->derived.error)
		top->derived.error = error;
}

/* Losses are reported before the snapshot that they belong to. */
static void write_drop(struct writer *writer, const struct writer_drop *drop)
{
	struct top_writer *top = top_of(writer);

	if (drop->kind == DROP_PRINCIPAL)
		top->table->losing += drop->count;
	if (top->exact)
		exact_calls_lose(top->exact);
	top->derived.text_operations->drop(writer, drop);
}

static void write_interrupt(struct writer *writer)
{
	top_of(writer)->is_ending = true;
}

static const struct writer_operations operations = {
	.summary_begin = begin_summary,
	.summary = write_summary,
	.drop = write_drop,
	.interrupt = write_interrupt,
	.flush = flush,
	.printf = write_printf,
};

void top_writer_init(struct top_writer *top, struct top_table *table, const bool *is_paused,
	int (*show)(void *context), void *context)
{
	*top = (struct top_writer){
		.table = table, .is_paused = is_paused, .show = show, .context = context};
	derived_writer_init(&top->derived, &operations, stdout, stderr);
}

int top_writer_take_calls(struct top_writer *top)
{
	if (call_tree_init(&top->tree))
		return -ENOMEM;
	top->exact = exact_calls_new(&top->tree, STACKS_TIME, EXACT_CALLS_NUMBERED);
	if (!top->exact)
		return -ENOMEM;
	exact_calls_count(top->exact);
	return 0;
}

void top_writer_free(struct top_writer *top)
{
	exact_calls_free(top->exact);
	call_tree_free(&top->tree);
}
