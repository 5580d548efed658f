/* random.h: random numbers that depend on a seed only (splitmix64). */
#ifndef TESTS_FUZZ_RANDOM_H
#define TESTS_FUZZ_RANDOM_H

#include <stdint.h>

struct random {
	uint64_t state;
};

static inline uint64_t random_next(struct random *random)
{
	uint64_t value = random->state += UINT64_C(0x9e3779b97f4a7c15);

	value = (value ^ value >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	value = (value ^ value >> 27) * UINT64_C(0x94d049bb133111eb);
	return value ^ value >> 31;
}

/* A number below the limit, which is at least 1. */
static inline unsigned random_below(struct random *random, unsigned limit)
{
	return (unsigned)(random_next(random) >> 33) % limit;
}

#endif
