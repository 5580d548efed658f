/*
 * budget.c: see budget.h. One counter of bytes, taken by compare-and-swap before memory is mapped
 * and given back after it is unmapped. Nothing here may lock or call malloc(): producers come here
 * in signal handlers.
 */
#include "shim/core/budget.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>

#include "wire/wire.h"

enum {
	RESERVE_BYTES = 1 << 20, /* more than the refusal of a client needs */
	GROWTH_SHARE = 8,        /* 1/8 is kept from uses that can be done without */
	RING_SHARE = 4,          /* 1/4 from rings that are longer than they have to be */
	PAGE = 4096
};

static _Atomic uint64_t size = BUDGET_BYTES_DEFAULT;
static _Atomic uint64_t used;
static _Atomic uint32_t refused[BUDGET_USES];
static _Atomic bool is_refusing;

static size_t whole_pages(size_t bytes)
{
	return (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
}

/* Returns the bytes that this use has to leave free. */
static uint64_t kept_from(enum budget_use use, uint64_t all)
{
	switch (use) {
	case BUDGET_QUEUE:
	case BUDGET_TEXTS:
	case BUDGET_SAMPLE:
		return RESERVE_BYTES + all / GROWTH_SHARE;
	case BUDGET_REFUSAL:
		return 0;
	default:
		return RESERVE_BYTES;
	}
}

void budget_set(uint64_t bytes)
{
	atomic_store(&size, bytes < BUDGET_BYTES_MIN ? BUDGET_BYTES_MIN : bytes);
}

uint64_t budget_size(void)
{
	return atomic_load(&size);
}

static uint64_t left_of(uint64_t all, uint64_t kept)
{
	uint64_t taken = atomic_load(&used) + RESERVE_BYTES + kept;

	return taken < all ? all - taken : 0;
}

uint64_t budget_left(void)
{
	return left_of(budget_size(), 0);
}

uint64_t budget_left_for_rings(void)
{
	return left_of(budget_size(), budget_size() / RING_SHARE);
}

bool budget_take(enum budget_use use, size_t bytes)
{
	uint64_t all = atomic_load(&size), most = all - kept_from(use, all);
	uint64_t taken = atomic_load(&used);

	do
		if (taken > most || bytes > most - taken) {
			atomic_fetch_add(&refused[use], 1);
			atomic_store(&is_refusing, true);
			return false;
		}
	while (!atomic_compare_exchange_weak(&used, &taken, taken + bytes));
	return true;
}

void budget_give(size_t bytes)
{
	if (!bytes)
		return;
	atomic_fetch_sub(&used, bytes);
	if (atomic_load(&is_refusing))
		atomic_store(&is_refusing, false);
}

void *budget_map(enum budget_use use, size_t bytes, int flags)
{
	void *address;

	if (!budget_take(use, whole_pages(bytes))) {
		errno = ENOMEM;
		return NULL;
	}
	address = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
	if (address != MAP_FAILED)
		return address;
	budget_give(whole_pages(bytes));
	return NULL;
}

void budget_unmap(void *address, size_t bytes)
{
	munmap(address, bytes);
	budget_give(whole_pages(bytes));
}

void *budget_remap(enum budget_use use, void *address, size_t bytes, size_t wanted)
{
	size_t before = whole_pages(bytes), after = whole_pages(wanted);
	size_t more = after > before ? after - before : 0;
	void *moved;

	if (more && !budget_take(use, more))
		return NULL;
	moved = mremap(address, bytes, wanted, MREMAP_MAYMOVE);
	if (moved == MAP_FAILED) {
		budget_give(more);
		return NULL;
	}
	budget_give(more ? 0 : before - after);
	return moved;
}

uint32_t budget_refusals(void)
{
	uint32_t all = 0;

	for (unsigned i = 0; i < BUDGET_REFUSAL; i++)
		all += atomic_load(&refused[i]);
	return all;
}

uint32_t budget_refused_uses(void)
{
	uint32_t uses = 0;

	for (unsigned i = 0; i < BUDGET_REFUSAL; i++)
		uses |= atomic_load(&refused[i]) ? 1u << i : 0;
	return uses;
}

bool budget_is_short(void)
{
	return atomic_load(&is_refusing);
}

void budget_describe(char text[BUDGET_TEXT_BYTES])
{
	static const char *const names[BUDGET_REFUSAL] = {[BUDGET_RING] = "rings of threads",
		[BUDGET_NAMES] = "the table of names",
		[BUDGET_TYPES] = "descriptions of events",
		[BUDGET_CLIENT] = "clients",
		[BUDGET_QUEUE] = "longer queues of clients",
		[BUDGET_TEXTS] = "texts of names",
		[BUDGET_SAMPLE] = "samples of the heap"};
	uint64_t all = budget_size();
	const char *separator = ": refused were ";
	size_t length;

	length = (size_t)snprintf(text, BUDGET_TEXT_BYTES,
		WIRE_MESSAGE "the library may take no more memory than %llu %s (memory_bytes), and "
			     "has used it up",
		(unsigned long long)(all >> 20 ? all >> 20 : all), all >> 20 ? "MiB" : "bytes");
	for (unsigned i = 0; i < BUDGET_REFUSAL; i++)
		if (atomic_load(&refused[i]) && length < BUDGET_TEXT_BYTES) {
			length += (size_t)snprintf(text + length, BUDGET_TEXT_BYTES - length,
				"%s%s", separator, names[i]);
			separator = ", ";
		}
}
