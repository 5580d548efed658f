/*
 * top_table.c: see top_table.h. Methods and last values are never removed, since callers keep the
 * numbers of methods; a method that spends nothing is only not shown.
 */
#include "cli/top/top_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/clock.h"
#include "base/text.h"

enum { SHARE_LEAST = 10 /* hundredths of a percent: a smaller share is shown as 0.0 */ };

struct top_last {
	uint64_t key;
	uint64_t value;
};

void top_table_init(struct top_table *table)
{
	*table = (struct top_table){.is_new = true};
}

void top_table_free(struct top_table *table)
{
	for (size_t i = 0; i < table->method_count; i++)
		free(table->methods[i].name);
	free(table->methods);
	hash_table_free(&table->method_table);
	free(table->lasts);
	hash_table_free(&table->last_table);
	free(table->vms);
	*table = (struct top_table){0};
}

void top_table_begin(struct top_table *table, uint64_t now)
{
	if (table->interval && now - table->begun < table->least) {
		table->interval = now - table->previous;
		table->begun = now;
		table->lost += table->losing;
		table->losing = 0;
		return;
	}
	table->interval = table->begun ? now - table->begun : 0;
	table->previous = table->begun;
	table->is_new = !table->begun;
	table->begun = now;
	table->lost = table->losing;
	table->losing = 0;
	for (size_t i = 0; i < table->method_count; i++)
		memset(table->methods[i].spent, 0, sizeof(table->methods[i].spent));
	for (size_t i = 0; i < table->vm_count; i++) {
		memset(table->vms[i].spent, 0, sizeof(table->vms[i].spent));
		table->vms[i].time = 0;
		table->vms[i].is_active = false;
	}
}

/* ---- the last values ---- */

static bool is_last(const void *lasts, uint32_t index, const void *key)
{
	return ((const struct top_last *)lasts)[index].key == *(const uint64_t *)key;
}

/* Returns the last value of a key, which is added; NULL: out of memory. */
static struct top_last *last_of(struct top_table *table, uint64_t key)
{
	uint32_t hash = hash_table_number(key);
	uint32_t index = hash_table_find(&table->last_table, hash, is_last, table->lasts, &key);

	if (index == HASH_TABLE_NONE) {
		index = table->last_table.count;
		if (array_room(&table->lasts, &table->last_room, index, sizeof(*table->lasts)) ||
			hash_table_add(&table->last_table, hash, index))
			return NULL;
		table->lasts[index] = (struct top_last){.key = key};
	}
	return &table->lasts[index];
}

int top_table_grown(struct top_table *table, uint64_t key, uint64_t value, uint64_t *spent)
{
	struct top_last *last = last_of(table, key);

	*spent = 0;
	if (!last)
		return -ENOMEM;
	*spent = value >= last->value ? value - last->value : value;
	last->value = value;
	return 0;
}

/* ---- methods ---- */

struct top_name {
	uint64_t pid;
	const char *name;
	size_t length;
};

static bool is_method(const void *methods, uint32_t index, const void *key)
{
	const struct top_method *method = &((const struct top_method *)methods)[index];
	const struct top_name *wanted = key;

	return method->pid == wanted->pid && strlen(method->name) == wanted->length &&
		!memcmp(method->name, wanted->name, wanted->length);
}

int top_table_method(
	struct top_table *table, uint64_t pid, const char *name, size_t length, size_t *number)
{
	struct top_name wanted = {pid, name, length < TOP_NAME_MAX ? length : TOP_NAME_MAX};
	uint32_t hash = text_hash(name, (uint32_t)wanted.length) ^ hash_table_number(pid);
	uint32_t index =
		hash_table_find(&table->method_table, hash, is_method, table->methods, &wanted);
	char *copy;

	*number = index;
	if (index != HASH_TABLE_NONE)
		return 0;
	if (table->method_count >= TOP_METHODS_MAX &&
		(wanted.length != strlen(TOP_OTHER) || memcmp(name, TOP_OTHER, wanted.length) != 0))
		return top_table_method(table, pid, TOP_OTHER, strlen(TOP_OTHER), number);
	if (array_room(&table->methods, &table->method_room, table->method_count,
		    sizeof(*table->methods)) ||
		hash_table_room(&table->method_table))
		return -ENOMEM;
	copy = strndup(name, wanted.length);
	if (!copy)
		return -ENOMEM;
	*number = table->method_count++;
	table->methods[*number] = (struct top_method){.pid = pid, .name = copy};
	return hash_table_add(&table->method_table, hash, (uint32_t)*number);
}

/* ---- VMs ---- */

struct top_vm *top_table_vm(struct top_table *table, uint64_t pid)
{
	size_t at = 0;

	while (at < table->vm_count && table->vms[at].pid < pid)
		at++;
	if (at < table->vm_count && table->vms[at].pid == pid)
		return &table->vms[at];
	if (array_room(&table->vms, &table->vm_room, table->vm_count, sizeof(*table->vms)))
		return NULL;
	memmove(&table->vms[at + 1], &table->vms[at], (table->vm_count - at) * sizeof(*table->vms));
	table->vm_count++;
	table->vms[at] = (struct top_vm){.pid = pid};
	return &table->vms[at];
}

int top_table_figure(struct top_table *table, uint64_t pid, const char *program,
	enum top_figure figure, uint64_t value)
{
	struct top_vm *vm = top_table_vm(table, pid);

	if (!vm)
		return -ENOMEM;
	if (program && *program)
		snprintf(vm->program, sizeof(vm->program), "%s", program);
	vm->spent[figure] = value >= vm->last[figure] ? value - vm->last[figure] : 0;
	vm->last[figure] = value;
	vm->is_known[figure] = true;
	return 0;
}

size_t top_table_running(const struct top_table *table)
{
	size_t count = 0;

	for (size_t i = 0; i < table->vm_count; i++)
		count += !table->vms[i].is_ended;
	return count;
}

/* ---- what is shown ---- */

static int compare_names(const struct top_method *a, const struct top_method *b)
{
	int order = strcmp(a->name, b->name);

	return order ? order : a->pid < b->pid ? -1 : a->pid > b->pid;
}

/* By a column, then by the others from the left, then by name. */
static int compare(const void *a, const void *b, void *context)
{
	const struct top_method *one = *(const struct top_method *const *)a;
	const struct top_method *other = *(const struct top_method *const *)b;
	enum top_order order = *(const enum top_order *)context;

	if (order < TOP_BY_NAME && one->spent[order] != other->spent[order])
		return one->spent[order] > other->spent[order] ? -1 : 1;
	for (int i = 0; i < TOP_COLUMNS && order < TOP_BY_NAME; i++)
		if (one->spent[i] != other->spent[i])
			return one->spent[i] > other->spent[i] ? -1 : 1;
	return compare_names(one, other);
}

static bool has_spent(const struct top_method *method)
{
	for (int i = 0; i < TOP_COLUMNS; i++)
		if (method->spent[i])
			return true;
	return false;
}

const struct top_method **top_table_sorted(
	const struct top_table *table, enum top_order order, const char *filter, size_t *count)
{
	const struct top_method **list = malloc((table->method_count + 1) * sizeof(*list));

	*count = 0;
	if (!list)
		return NULL;
	for (size_t i = 0; i < table->method_count; i++)
		if (has_spent(&table->methods[i]) && strstr(table->methods[i].name, filter))
			list[(*count)++] = &table->methods[i];
	qsort_r(list, *count, sizeof(*list), compare, &order);
	return list;
}

/* Returns true if a method has a row: a figure that is not shown as 0. Sorted by its own time, the
 * total does not count. */
static bool is_shown(
	const struct top_table *table, enum top_order order, const struct top_method *method)
{
	return top_table_share(table, method->spent[TOP_SELF]) >= SHARE_LEAST ||
		(order != TOP_BY_SELF &&
			top_table_share(table, method->spent[TOP_TOTAL]) >= SHARE_LEAST) ||
		top_table_rate(table, method->spent[TOP_CALLS]) ||
		top_table_rate(table, method->spent[TOP_BYTES]);
}

size_t top_table_shown(const struct top_table *table, enum top_order order,
	const struct top_method *const *list, size_t count)
{
	while (count && !is_shown(table, order, list[count - 1]))
		count--;
	return count;
}

struct top_method top_table_rest(const struct top_method *const *list, size_t from, size_t count)
{
	struct top_method rest = {.name = (char *)(uintptr_t)TOP_OTHER};

	for (; from < count; from++)
		for (int i = 0; i < TOP_COLUMNS; i++)
			rest.spent[i] += list[from]->spent[i == TOP_TOTAL ? TOP_SELF : i];
	return rest;
}

uint64_t top_table_share(const struct top_table *table, uint64_t spent)
{
	return table->interval ? (uint64_t)((double)spent * 10000 / (double)table->interval + 0.5)
			       : 0;
}

uint64_t top_table_rate(const struct top_table *table, uint64_t spent)
{
	return table->interval
		? (uint64_t)((double)spent * CLOCK_NS_PER_S / (double)table->interval + 0.5)
		: 0;
}
