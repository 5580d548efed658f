/* top_table.c: see top_table.h. */
#include "cli/top/top_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum { SLOTS_FIRST = 256 };

struct top_last {
	uint64_t key;
	uint64_t value;
	bool is_used;
};

int top_table_init(struct top_table *table)
{
	*table = (struct top_table){.is_new = true};
	table->slot_count = table->last_room = SLOTS_FIRST;
	table->slots = calloc(table->slot_count, sizeof(*table->slots));
	table->lasts = calloc(table->last_room, sizeof(*table->lasts));
	return table->slots && table->lasts ? 0 : -ENOMEM;
}

void top_table_free(struct top_table *table)
{
	for (size_t i = 0; i < table->method_count; i++)
		free(table->methods[i].name);
	free(table->methods);
	free(table->slots);
	free(table->lasts);
	free(table->vms);
	*table = (struct top_table){0};
}

void top_table_begin(struct top_table *table, uint64_t now)
{
	table->interval = table->begun ? now - table->begun : 0;
	table->is_new = !table->begun;
	table->begun = now;
	table->lost = table->losing;
	table->losing = 0;
	for (size_t i = 0; i < table->method_count; i++)
		memset(table->methods[i].spent, 0, sizeof(table->methods[i].spent));
	for (size_t i = 0; i < table->vm_count; i++)
		memset(table->vms[i].spent, 0, sizeof(table->vms[i].spent));
}

/* ---- the last values ---- */

static struct top_last *last_slot(struct top_last *lasts, size_t room, uint64_t key)
{
	size_t at = (key * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (room - 1);

	while (lasts[at].is_used && lasts[at].key != key)
		at = (at + 1) & (room - 1);
	return &lasts[at];
}

static bool grow_lasts(struct top_table *table)
{
	size_t room = 2 * table->last_room;
	struct top_last *grown = calloc(room, sizeof(*grown));

	if (!grown)
		return false;
	for (size_t i = 0; i < table->last_room; i++)
		if (table->lasts[i].is_used)
			*last_slot(grown, room, table->lasts[i].key) = table->lasts[i];
	free(table->lasts);
	table->lasts = grown;
	table->last_room = room;
	return true;
}

int top_table_grown(struct top_table *table, uint64_t key, uint64_t value, uint64_t *spent)
{
	struct top_last *last;

	*spent = 0;
	if (2 * table->last_count >= table->last_room && !grow_lasts(table))
		return -ENOMEM;
	last = last_slot(table->lasts, table->last_room, key);
	if (!last->is_used) {
		*last = (struct top_last){.key = key, .is_used = true};
		table->last_count++;
	}
	*spent = value >= last->value ? value - last->value : value;
	last->value = value;
	return 0;
}

/* ---- methods ---- */

static uint64_t hash_name(uint64_t pid, const char *name, size_t length)
{
	uint64_t hash = UINT64_C(14695981039346656037) ^ pid;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)name[i]) * UINT64_C(1099511628211);
	return hash ^ hash >> 32;
}

static uint32_t *method_slot(struct top_table *table, uint64_t pid, const char *name, size_t length)
{
	size_t at = hash_name(pid, name, length) & (table->slot_count - 1);

	for (; table->slots[at]; at = (at + 1) & (table->slot_count - 1)) {
		const struct top_method *method = &table->methods[table->slots[at] - 1];
		if (method->pid == pid && strlen(method->name) == length &&
			!memcmp(method->name, name, length))
			break;
	}
	return &table->slots[at];
}

static bool grow_slots(struct top_table *table)
{
	uint32_t *grown = calloc(2 * table->slot_count, sizeof(*grown));

	if (!grown)
		return false;
	free(table->slots);
	table->slots = grown;
	table->slot_count *= 2;
	for (size_t i = 0; i < table->method_count; i++) {
		const struct top_method *method = &table->methods[i];
		*method_slot(table, method->pid, method->name, strlen(method->name)) =
			(uint32_t)(i + 1);
	}
	return true;
}

static bool grow_methods(struct top_table *table)
{
	size_t room = table->method_room ? 2 * table->method_room : SLOTS_FIRST;
	struct top_method *grown = realloc(table->methods, room * sizeof(*grown));

	if (!grown)
		return false;
	table->methods = grown;
	table->method_room = room;
	return true;
}

int top_table_method(
	struct top_table *table, uint64_t pid, const char *name, size_t length, size_t *number)
{
	uint32_t *slot;
	char *copy;

	if (length > TOP_NAME_MAX)
		length = TOP_NAME_MAX;
	slot = method_slot(table, pid, name, length);
	if (*slot) {
		*number = *slot - 1;
		return 0;
	}
	if (table->method_count == TOP_METHODS_MAX) {
		table->left_out++;
		return -ENOSPC;
	}
	if ((table->method_count == table->method_room && !grow_methods(table)) ||
		(2 * table->method_count >= table->slot_count && !grow_slots(table)))
		return -ENOMEM;
	copy = strndup(name, length);
	if (!copy)
		return -ENOMEM;
	*number = table->method_count++;
	table->methods[*number] = (struct top_method){.pid = pid, .name = copy};
	*method_slot(table, pid, name, length) = (uint32_t)(*number + 1);
	return 0;
}

/* ---- VMs ---- */

struct top_vm *top_table_vm(struct top_table *table, uint64_t pid)
{
	struct top_vm *grown;
	size_t at = 0;

	while (at < table->vm_count && table->vms[at].pid < pid)
		at++;
	if (at < table->vm_count && table->vms[at].pid == pid)
		return &table->vms[at];
	if (table->vm_count == table->vm_room) {
		size_t room = table->vm_room ? 2 * table->vm_room : 8;
		grown = realloc(table->vms, room * sizeof(*grown));
		if (!grown)
			return NULL;
		table->vms = grown;
		table->vm_room = room;
	}
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
