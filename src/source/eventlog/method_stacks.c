/*
 * method_stacks.c: see method_stacks.h. Threads are allocated one by one, because users keep
 * pointers to them; most events have the same thread as the previous one, which then needs no
 * look-up.
 */
#include "source/eventlog/method_stacks.h"

#include <stdlib.h>

#include "base/arena.h"

void method_stacks_init(
	struct method_stacks *stacks, size_t thread_bytes, uint32_t depth_max, uint32_t threads_max)
{
	*stacks = (struct method_stacks){
		.thread_bytes = thread_bytes, .depth_max = depth_max, .threads_max = threads_max};
}

void method_stacks_free(struct method_stacks *stacks)
{
	for (size_t i = 0; i < stacks->thread_count; i++) {
		free(stacks->threads[i]->frames);
		free(stacks->threads[i]);
	}
	free(stacks->threads);
	free(stacks->os_threads);
	hash_table_free(&stacks->thread_table);
	hash_table_free(&stacks->os_thread_table);
	*stacks = (struct method_stacks){0};
}

/* ---- threads ---- */

static bool is_thread(const void *threads, uint32_t index, const void *number)
{
	return ((struct method_thread *const *)threads)[index]->number == *(const uint32_t *)number;
}

static uint32_t thread_index(const struct method_stacks *stacks, uint32_t number)
{
	return hash_table_find(&stacks->thread_table, hash_table_number(number), is_thread,
		stacks->threads, &number);
}

struct method_thread *method_stacks_look_up(struct method_stacks *stacks, uint32_t number)
{
	uint32_t index = thread_index(stacks, number);

	if (index == HASH_TABLE_NONE)
		return NULL;
	stacks->recent = stacks->threads[index];
	return stacks->recent;
}

struct method_thread *method_stacks_add(struct method_stacks *stacks, uint32_t number)
{
	struct method_thread *thread = method_stacks_find(stacks, number);
	size_t count = stacks->thread_count;

	if (thread)
		return thread;
	if (count >= stacks->threads_max ||
		array_room(&stacks->threads, &stacks->thread_room, count,
			sizeof(struct method_thread *)) ||
		hash_table_room(&stacks->thread_table))
		return NULL;
	thread = calloc(1, stacks->thread_bytes);
	if (!thread)
		return NULL;
	thread->number = number;
	stacks->threads[stacks->thread_count++] = thread;
	hash_table_add(&stacks->thread_table, hash_table_number(number), (uint32_t)count);
	stacks->recent = thread;
	return thread;
}

void method_stacks_exit(struct method_stacks *stacks, uint32_t number)
{
	uint32_t index = thread_index(stacks, number), last;
	struct method_thread *moved;

	if (index == HASH_TABLE_NONE)
		return;
	for (size_t i = 0; i < stacks->os_thread_count; i++)
		if (stacks->os_threads[i].number == number)
			stacks->os_threads[i].is_running = false;
	free(stacks->threads[index]->frames);
	free(stacks->threads[index]);
	stacks->recent = NULL;
	hash_table_remove(&stacks->thread_table, hash_table_number(number), index);
	last = (uint32_t)--stacks->thread_count;
	if (index == last)
		return;
	moved = stacks->threads[last];
	hash_table_move(&stacks->thread_table, hash_table_number(moved->number), last, index);
	stacks->threads[index] = moved;
}

void method_stacks_forget(struct method_stacks *stacks)
{
	for (size_t i = 0; i < stacks->thread_count; i++)
		stacks->threads[i]->depth = stacks->threads[i]->extra = 0;
}

/* ---- OS threads ---- */

static bool is_os_thread(const void *os_threads, uint32_t index, const void *tid)
{
	return ((const struct method_os_thread *)os_threads)[index].tid == *(const uint32_t *)tid;
}

static struct method_os_thread *find_os_thread(const struct method_stacks *stacks, uint32_t tid)
{
	uint32_t index = hash_table_find(&stacks->os_thread_table, hash_table_number(tid),
		is_os_thread, stacks->os_threads, &tid);

	return index == HASH_TABLE_NONE ? NULL : &stacks->os_threads[index];
}

bool method_stacks_run(struct method_stacks *stacks, uint32_t tid, uint32_t number)
{
	struct method_os_thread *os_thread = find_os_thread(stacks, tid);
	size_t count = stacks->os_thread_count;

	if (!os_thread) {
		if (count >= stacks->threads_max ||
			array_room(&stacks->os_threads, &stacks->os_thread_room, count,
				sizeof(*os_thread)) ||
			hash_table_add(
				&stacks->os_thread_table, hash_table_number(tid), (uint32_t)count))
			return false;
		os_thread = &stacks->os_threads[stacks->os_thread_count++];
	}
	*os_thread = (struct method_os_thread){true, tid, number};
	return true;
}

void method_stacks_stop(struct method_stacks *stacks, uint32_t tid)
{
	struct method_os_thread *os_thread = find_os_thread(stacks, tid);

	if (os_thread)
		os_thread->is_running = false;
}

struct method_thread *method_stacks_running(struct method_stacks *stacks, uint32_t tid)
{
	const struct method_os_thread *os_thread = find_os_thread(stacks, tid);

	return os_thread && os_thread->is_running ? method_stacks_find(stacks, os_thread->number)
						  : NULL;
}
