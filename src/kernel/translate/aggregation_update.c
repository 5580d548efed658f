/*
 * aggregation_update.c: see aggregation_update.h. Programs on other processors, and ones that have
 * been interrupted, update the same words. So each word is changed by one atomic instruction, and
 * least and greatest values by a loop of compare and exchange with a bound.
 */
#include "kernel/translate/aggregation_update.h"

#include <stdlib.h>

#include "kernel/capture/capture_generator.h"
#include "program/log_linear.h"

enum {
	QUANTIZE_BUCKETS = 128, /* one more than there are, so that 7 bits are always in range */
	QUANTIZE_ZERO = 63,
	BOUNDS_MAX = (KERNEL_BUCKETS_MAX - 1) / 2, /* with their negatives and the bucket of zero */
	WORD = 8,
	TRIES = 16 /* to replace a value that others replace at the same time */
};

#define SIGN (UINT64_C(1) << 63)

static uint32_t linear_buckets(const struct d_aggregation *aggregation)
{
	int64_t step = aggregation->parameters[2] ? aggregation->parameters[2] : 1;
	int64_t levels = (aggregation->parameters[1] - aggregation->parameters[0]) / step;

	return levels < KERNEL_BUCKETS_MAX ? (uint32_t)levels + 2 : UINT32_MAX;
}

bool kernel_update_words(const struct d_aggregation *aggregation, bool counts_updates,
	uint32_t *words, uint32_t *buckets)
{
	uint32_t bounds;

	*buckets = 0;
	switch (aggregation->function) {
	case D_AGGREGATE_COUNT:
		*words = 1;
		return true;
	case D_AGGREGATE_SUM:
	case D_AGGREGATE_AVG:
	case D_AGGREGATE_MIN:
	case D_AGGREGATE_MAX:
		*words = 2;
		return true;
	case D_AGGREGATE_STDDEV:
		*words = 2 + KERNEL_SQUARE_PARTS;
		return true;
	case D_AGGREGATE_QUANTIZE:
		*buckets = QUANTIZE_BUCKETS;
		break;
	case D_AGGREGATE_LQUANTIZE:
		*buckets = linear_buckets(aggregation);
		break;
	default:
		bounds = log_linear_bounds(aggregation->parameters, NULL, BOUNDS_MAX);
		*buckets = bounds ? 2 * bounds + 1 : UINT32_MAX;
	}
	*words = *buckets + counts_updates + 1;
	return *buckets <= KERNEL_BUCKETS_MAX;
}

static void add_word(struct bpf_code *code, unsigned word, int from)
{
	bpf_atomic(code, BPF_ADD, BPF_REG_0, (int)(WORD * word), from);
}

static void add_one(struct bpf_code *code, unsigned word)
{
	bpf_set(code, BPF_REG_1, 1);
	add_word(code, word, BPF_REG_1);
}

/* Replaces the number in R1 by its code: unsigned, and greater for numbers nearer to the result. */
static void encode(struct bpf_code *code, enum d_aggregating function)
{
	bpf_set(code, BPF_REG_2, function == D_AGGREGATE_MIN ? SIGN - 1 : SIGN);
	bpf_operate(code, BPF_XOR, BPF_REG_1, BPF_REG_2);
}

uint64_t kernel_update_decode(enum d_aggregating function, uint64_t code)
{
	return code ^ (function == D_AGGREGATE_MIN ? SIGN - 1 : SIGN);
}

/* Keeps the greater of the value and R1. Compare-and-exchange needs R0 for the expected value. */
static void keep_greatest(struct bpf_code *code, uint32_t without)
{
	uint32_t done = bpf_label(code);

	bpf_move(code, BPF_REG_3, BPF_REG_0);
	bpf_read(code, BPF_REG_0, BPF_REG_3, WORD, 8);
	for (int i = 0; i < TRIES; i++) {
		bpf_jump_if(code, BPF_JGE, BPF_REG_0, BPF_REG_1, done);
		bpf_move(code, BPF_REG_2, BPF_REG_0);
		bpf_atomic(code, BPF_CMPXCHG, BPF_REG_3, WORD, BPF_REG_1);
		bpf_jump_if(code, BPF_JEQ, BPF_REG_0, BPF_REG_2, done);
	}
	bpf_jump(code, without);
	bpf_place(code, done);
	bpf_move(code, BPF_REG_0, BPF_REG_3);
}

/* Sets R1 to |R1|. */
static void make_positive(struct bpf_code *code)
{
	uint32_t positive = bpf_label(code);

	bpf_jump_if_value(code, BPF_JSGE, BPF_REG_1, 0, positive);
	bpf_operate_value(code, BPF_NEG, BPF_REG_1, 0);
	bpf_place(code, positive);
}

/* Adds the low half of `from`, shifted left by one bit if doubled, to a part; R5 is changed. */
static void add_low(struct bpf_code *code, unsigned word, int from, bool doubled)
{
	bpf_move(code, BPF_REG_5, from);
	bpf_extend(code, BPF_REG_5, 4, false);
	if (doubled)
		bpf_operate_value(code, BPF_LSH, BPF_REG_5, 1);
	add_word(code, word, BPF_REG_5);
}

static void add_high(struct bpf_code *code, unsigned word, int from, bool doubled)
{
	bpf_move(code, BPF_REG_5, from);
	bpf_operate_value(code, BPF_RSH, BPF_REG_5, 32);
	if (doubled)
		bpf_operate_value(code, BPF_LSH, BPF_REG_5, 1);
	add_word(code, word, BPF_REG_5);
}

/* The square of R1 = a 2^32 + b is a^2 2^64 + 2 a b 2^32 + b^2. */
static void add_square(struct bpf_code *code, unsigned word)
{
	make_positive(code);
	bpf_move(code, BPF_REG_2, BPF_REG_1);
	bpf_operate_value(code, BPF_RSH, BPF_REG_2, 32); /* a */
	bpf_extend(code, BPF_REG_1, 4, false);           /* b */
	bpf_move(code, BPF_REG_3, BPF_REG_1);
	bpf_operate(code, BPF_MUL, BPF_REG_3, BPF_REG_2); /* a b */
	bpf_operate(code, BPF_MUL, BPF_REG_1, BPF_REG_1);
	bpf_operate(code, BPF_MUL, BPF_REG_2, BPF_REG_2);
	add_low(code, word, BPF_REG_1, false);
	add_high(code, word + 1, BPF_REG_1, false);
	add_low(code, word + 1, BPF_REG_3, true);
	add_high(code, word + 2, BPF_REG_3, true);
	add_low(code, word + 2, BPF_REG_2, false);
	add_high(code, word + 3, BPF_REG_2, false);
}

/* Sets R2 to the number of the highest bit of R1, which is not 0; changes R3. */
static void find_bit(struct bpf_code *code)
{
	bpf_set(code, BPF_REG_2, 0);
	for (int bits = 32; bits; bits /= 2) {
		uint32_t less = bpf_label(code);

		bpf_move(code, BPF_REG_3, BPF_REG_1);
		bpf_operate_value(code, BPF_RSH, BPF_REG_3, bits);
		bpf_jump_if_value(code, BPF_JEQ, BPF_REG_3, 0, less);
		bpf_move(code, BPF_REG_1, BPF_REG_3);
		bpf_operate_value(code, BPF_ADD, BPF_REG_2, bits);
		bpf_place(code, less);
	}
}

/* Sets R2 to the bucket of R1. */
static void find_power(struct bpf_code *code)
{
	uint32_t negative = bpf_label(code), zero = bpf_label(code), found = bpf_label(code);

	bpf_jump_if_value(code, BPF_JEQ, BPF_REG_1, 0, zero);
	bpf_jump_if_value(code, BPF_JSLT, BPF_REG_1, 0, negative);
	find_bit(code);
	bpf_operate_value(code, BPF_ADD, BPF_REG_2, QUANTIZE_ZERO + 1);
	bpf_jump(code, found);
	bpf_place(code, negative); /* the least number shares the bucket of -2^62 */
	bpf_operate_value(code, BPF_NEG, BPF_REG_1, 0);
	find_bit(code);
	bpf_operate_value(code, BPF_NEG, BPF_REG_2, 0);
	bpf_operate_value(code, BPF_ADD, BPF_REG_2, QUANTIZE_ZERO - 1);
	bpf_jump_if_value(code, BPF_JSGE, BPF_REG_2, 0, found);
	bpf_set(code, BPF_REG_2, 0);
	bpf_jump(code, found);
	bpf_place(code, zero);
	bpf_set(code, BPF_REG_2, QUANTIZE_ZERO);
	bpf_place(code, found);
	bpf_operate_value(code, BPF_AND, BPF_REG_2, QUANTIZE_BUCKETS - 1);
}

static void find_level(struct bpf_code *code, const struct d_aggregation *aggregation)
{
	int64_t base = aggregation->parameters[0];
	int64_t step = aggregation->parameters[2] ? aggregation->parameters[2] : 1;
	int32_t last = (int32_t)linear_buckets(aggregation) - 1;
	uint32_t below = bpf_label(code), found = bpf_label(code);

	bpf_set(code, BPF_REG_2, 0);
	bpf_set(code, BPF_REG_3, (uint64_t)base);
	bpf_jump_if(code, BPF_JSLT, BPF_REG_1, BPF_REG_3, below);
	bpf_operate(code, BPF_SUB, BPF_REG_1, BPF_REG_3);
	if (step > 1)
		bpf_operate_value(code, BPF_DIV, BPF_REG_1, (int32_t)step);
	bpf_set(code, BPF_REG_2, (uint64_t)last);
	bpf_jump_if_value(code, BPF_JGE, BPF_REG_1, last, found);
	bpf_move(code, BPF_REG_2, BPF_REG_1);
	bpf_operate_value(code, BPF_ADD, BPF_REG_2, 1);
	bpf_place(code, below);
	bpf_place(code, found);
	/* for the verifier, which does not know it on all paths */
	below = bpf_label(code);
	bpf_jump_if_value(code, BPF_JLE, BPF_REG_2, last, below);
	bpf_set(code, BPF_REG_2, (uint64_t)last);
	bpf_place(code, below);
}

/* Sets R2 to the number of bounds from first to end that are not above R1, counted from the array's
 * first. */
static void search_bounds(
	struct bpf_code *code, const uint64_t *bounds, uint32_t first, uint32_t end, uint32_t found)
{
	uint32_t middle = first + (end - first) / 2, above = bpf_label(code);

	if (first == end) {
		bpf_set(code, BPF_REG_2, first);
		bpf_jump(code, found);
		return;
	}
	bpf_set(code, BPF_REG_3, bounds[middle]);
	bpf_jump_if(code, BPF_JLT, BPF_REG_1, BPF_REG_3, above);
	search_bounds(code, bounds, middle + 1, end, found);
	bpf_place(code, above);
	search_bounds(code, bounds, first, middle, found);
}

static void find_step(struct bpf_code *code, const struct d_aggregation *aggregation)
{
	uint64_t bounds[BOUNDS_MAX];
	int32_t count = (int32_t)log_linear_bounds(aggregation->parameters, bounds, BOUNDS_MAX);
	uint32_t found = bpf_label(code), positive = bpf_label(code);

	bpf_move(code, BPF_REG_4, BPF_REG_1);
	make_positive(code);
	search_bounds(code, bounds, 0, (uint32_t)count, found);
	bpf_place(code, found);
	bpf_jump_if_value(code, BPF_JSGE, BPF_REG_4, 0, positive);
	bpf_operate_value(code, BPF_NEG, BPF_REG_2, 0);
	bpf_place(code, positive);
	bpf_operate_value(code, BPF_ADD, BPF_REG_2, count);
	found = bpf_label(code);
	bpf_jump_if_value(code, BPF_JLE, BPF_REG_2, 2 * count, found);
	bpf_set(code, BPF_REG_2, 0);
	bpf_place(code, found);
}

/* Adds the value in R1, times the increment, to a word; R1 stays. */
static void add_weighted(struct bpf_code *code, unsigned word, int increment)
{
	bpf_read(code, BPF_REG_2, KERNEL_FRAME, increment, 8);
	bpf_operate(code, BPF_MUL, BPF_REG_2, BPF_REG_1);
	add_word(code, word, BPF_REG_2);
}

static void add_to_bucket(struct bpf_code *code, const struct d_aggregation *aggregation,
	bool counts_updates, int increment)
{
	uint32_t words, buckets;

	kernel_update_words(aggregation, counts_updates, &words, &buckets);
	add_weighted(code, words - 1, increment);
	if (aggregation->function == D_AGGREGATE_QUANTIZE)
		find_power(code);
	else if (aggregation->function == D_AGGREGATE_LQUANTIZE)
		find_level(code, aggregation);
	else
		find_step(code, aggregation);
	bpf_move(code, BPF_REG_3, BPF_REG_0);
	bpf_operate_value(code, BPF_LSH, BPF_REG_2, 3);
	bpf_operate(code, BPF_ADD, BPF_REG_3, BPF_REG_2);
	bpf_read(code, BPF_REG_1, KERNEL_FRAME, increment, 8);
	bpf_atomic(code, BPF_ADD, BPF_REG_3, counts_updates ? WORD : 0, BPF_REG_1);
	if (counts_updates)
		add_one(code, 0);
}

void kernel_update_generate(struct bpf_code *code, const struct d_aggregation *aggregation,
	bool counts_updates, int value, int increment, uint32_t without)
{
	if (aggregation->function == D_AGGREGATE_COUNT) {
		add_one(code, 0);
		return;
	}
	bpf_read(code, BPF_REG_1, KERNEL_FRAME, value, 8);
	switch (aggregation->function) {
	case D_AGGREGATE_MIN:
	case D_AGGREGATE_MAX:
		encode(code, aggregation->function);
		keep_greatest(code, without);
		add_one(code, 0);
		break;
	case D_AGGREGATE_SUM:
	case D_AGGREGATE_AVG:
		add_word(code, 1, BPF_REG_1);
		add_one(code, 0);
		break;
	case D_AGGREGATE_STDDEV:
		add_word(code, 1, BPF_REG_1);
		add_square(code, 2);
		add_one(code, 0);
		break;
	default:
		add_to_bucket(code, aggregation, counts_updates, increment);
		return;
	}
}
