/*
 * extra.h: how the library reaches its extras: parts that a static VM contains only if it calls
 * them. Each extra is a member of libvmtap.a of its own (EXTRAS in the Makefile) and has a table of
 * the functions by which the rest calls it. Without the extra the pointer to its table is NULL, and
 * the functions below do what an extra does that the VM has never called.
 *
 * The linker sets the pointers, so nothing has to be registered at run time: extra.c defines them
 * weakly as NULL, and an extra's definition replaces that. A weak definition pulls no member out of
 * an archive. (A weak reference would not do: see FIRE_HOOKS in fire.h.)
 *
 * Features that an option of vmtap_start() or the environment switches on cannot be extras, because
 * the linker does not see that: turns without a thread, and the log's file.
 */
#ifndef VMTAP_SHIM_CORE_EXTRA_H
#define VMTAP_SHIM_CORE_EXTRA_H

#include <stdbool.h>
#include <stdint.h>

#include "vmtap.h"

struct server;
struct vmtap_stack;

/* Attribute of each pointer. It is not const, because compilers would take the weak value for the
 * final one, but is read-only once the program is loaded. */
#define EXTRA_POINTER __attribute__((section(".data.rel.ro.vmtap_extra")))

/* ---- samples of the heap: extra/census.h ---- */

struct extra_census {
	void (*attach)(int wake);
	void (*detach)(void);
	void (*start)(uint64_t period);
	void (*stop)(void);
	void (*request)(void);
	int (*deliver)(struct server *server);
	void (*fork_child)(void);
};
VMTAP_HIDDEN extern const struct extra_census *vmtap_extra_census;

static inline void extra_census_attach(int wake)
{
	if (vmtap_extra_census)
		vmtap_extra_census->attach(wake);
}

static inline void extra_census_detach(void)
{
	if (vmtap_extra_census)
		vmtap_extra_census->detach();
}

static inline void extra_census_start(uint64_t period)
{
	if (vmtap_extra_census)
		vmtap_extra_census->start(period);
}

static inline void extra_census_stop(void)
{
	if (vmtap_extra_census)
		vmtap_extra_census->stop();
}

static inline void extra_census_request(void)
{
	if (vmtap_extra_census)
		vmtap_extra_census->request();
}

static inline int extra_census_deliver(struct server *server)
{
	return vmtap_extra_census ? vmtap_extra_census->deliver(server) : -1;
}

static inline void extra_census_fork_child(void)
{
	if (vmtap_extra_census)
		vmtap_extra_census->fork_child();
}

/* ---- samples of what the VM runs: extra/sampler.h ---- */

/* The sampling that clients request now; 0: none. */
struct sampler_wish {
	uint64_t period; /* ns */
	uint64_t bytes;  /* only if period is 0 */
	bool is_elapsed; /* the period is elapsed time; otherwise CPU time */
};

/* How time-based samples become due now; a round may fall back to ticks after it has begun. */
enum sampler_way {
	SAMPLER_NONE,
	SAMPLER_TIMERS,    /* on the threads' CPU clocks */
	SAMPLER_CPU_TICKS, /* of elapsed time, with CPU time as weight */
	SAMPLER_ELAPSED
};

struct extra_sampler {
	void (*set)(const struct sampler_wish *wish, bool has_thread);
	enum sampler_way (*way)(void);
	int (*turn)(void);
	int (*descriptor)(void);
	void (*take)(void);
	void (*dump)(void);
	void (*close)(void);
	void (*fork_child)(void);
};
VMTAP_HIDDEN extern const struct extra_sampler *vmtap_extra_sampler;

static inline void extra_sampler_set(const struct sampler_wish *wish, bool has_thread)
{
	if (vmtap_extra_sampler)
		vmtap_extra_sampler->set(wish, has_thread);
}

static inline int extra_sampler_turn(void)
{
	return vmtap_extra_sampler ? vmtap_extra_sampler->turn() : -1;
}

static inline int extra_sampler_descriptor(void)
{
	return vmtap_extra_sampler ? vmtap_extra_sampler->descriptor() : -1;
}

static inline void extra_sampler_take(void)
{
	if (vmtap_extra_sampler)
		vmtap_extra_sampler->take();
}

static inline void extra_sampler_dump(void)
{
	if (vmtap_extra_sampler)
		vmtap_extra_sampler->dump();
}

static inline void extra_sampler_close(void)
{
	if (vmtap_extra_sampler)
		vmtap_extra_sampler->close();
}

static inline void extra_sampler_fork_child(void)
{
	if (vmtap_extra_sampler)
		vmtap_extra_sampler->fork_child();
}

/* ---- guards that open and close: extra/change.h ---- */

struct extra_change {
	void (*attach)(int wake);
	void (*detach)(void);
	int (*turn)(void);
	void (*fork_child)(void);
};
VMTAP_HIDDEN extern const struct extra_change *vmtap_extra_change;

static inline void extra_change_attach(int wake)
{
	if (vmtap_extra_change)
		vmtap_extra_change->attach(wake);
}

static inline void extra_change_detach(void)
{
	if (vmtap_extra_change)
		vmtap_extra_change->detach();
}

static inline int extra_change_turn(void)
{
	return vmtap_extra_change ? vmtap_extra_change->turn() : -1;
}

static inline void extra_change_fork_child(void)
{
	if (vmtap_extra_change)
		vmtap_extra_change->fork_child();
}

/* ---- guest stacks: extra/walker.h ---- */

struct extra_walker {
	bool (*is_there)(void);
	const struct vmtap_stack *(*walk)(struct vmtap_stack *own);
	void (*done)(struct vmtap_stack *own, const struct vmtap_stack *walked);
	void (*reset)(struct vmtap_stack *own);
	void (*fork_child)(const struct vmtap_stack *own);
};
VMTAP_HIDDEN extern const struct extra_walker *vmtap_extra_walker;

static inline bool extra_walker_is_there(void)
{
	return vmtap_extra_walker && vmtap_extra_walker->is_there();
}

static inline void extra_walker_reset(struct vmtap_stack *own)
{
	if (vmtap_extra_walker)
		vmtap_extra_walker->reset(own);
}

static inline void extra_walker_fork_child(const struct vmtap_stack *own)
{
	if (vmtap_extra_walker)
		vmtap_extra_walker->fork_child(own);
}

#endif
