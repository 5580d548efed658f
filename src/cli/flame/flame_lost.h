/*
 * flame_lost.h: what is said where events of a flame graph were lost, with what loses fewer.
 */
#ifndef VMTAP_CLI_FLAME_FLAME_LOST_H
#define VMTAP_CLI_FLAME_FLAME_LOST_H

#include <stdbool.h>
#include <stdint.h>

#include "cli/flame/stacks.h"

enum { FLAME_LOST_MAX = 200 };

/* Where the stacks are from, which decides what loses fewer of them. */
enum flame_way {
	FLAME_WAY_LOG,
	FLAME_WAY_KERNEL_LOG,
	FLAME_WAY_PROCESS,
	FLAME_WAY_TRACE,
	FLAME_WAY_LOSSLESS_TRACE,
	FLAME_WAY_KERNEL
};

/* Says what losses mean, and what to do so that fewer events are lost next time. */
void flame_lost_text(char text[FLAME_LOST_MAX], uint64_t lost, bool is_sampled, enum flame_way way);

/* Calls of a running VM that were lost, and how the picture was asked for. */
struct flame_lost_calls {
	const char *pid;
	uint64_t lost;
	enum stacks_measure measure;
	const char *measure_name;
	uint64_t seconds; /* 0: not given */
	const char *output;
};

/* Says so in a line with the commands that lose none. */
void flame_lost_tell_calls(const struct flame_lost_calls *calls);

#endif
