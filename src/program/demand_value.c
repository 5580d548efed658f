/* demand_value.c: see demand_value.h. */
#include "program/demand_value.h"

#include <stdlib.h>

#include "program/demand.h"

const struct demand_value demand_value_nothing = {.kind = DEMAND_VALUE_NOTHING};
const struct demand_value demand_value_own = {.kind = DEMAND_VALUE_OWN};

struct demand_value demand_value_number(int64_t value)
{
	return (struct demand_value){
		.kind = DEMAND_VALUE_PLAIN, .from = D_PIECE_FIXED, .offset = value};
}

bool demand_value_is_number(const struct demand_value *known)
{
	return known->kind == DEMAND_VALUE_PLAIN && known->from == D_PIECE_FIXED && !known->index;
}

static bool is_argument(const struct demand_value *known)
{
	return known->kind == DEMAND_VALUE_PLAIN && known->from == D_PIECE_ARGUMENT &&
		!known->index;
}

/* Whether it is a number plus an index. */
static bool is_index(const struct demand_value *known)
{
	return known->kind == DEMAND_VALUE_PLAIN && known->from == D_PIECE_FIXED && known->index;
}

bool demand_value_is_own(const struct demand_value *known)
{
	return known->kind >= DEMAND_VALUE_COPY;
}

struct demand_value demand_value_common(
	const struct demand_value *one, const struct demand_value *other)
{
	if (one->kind == other->kind && one->from == other->from && one->base == other->base &&
		one->at == other->at && one->offset == other->offset &&
		one->index == other->index && one->index_bits == other->index_bits &&
		one->index_scale == other->index_scale)
		return *one;
	return demand_value_is_own(one) && demand_value_is_own(other) ? demand_value_own
								      : demand_value_nothing;
}

static struct demand_value moved(const struct demand_value *known, uint64_t by)
{
	struct demand_value result = *known;

	result.offset = (int64_t)((uint64_t)result.offset + by);
	return result;
}

/* An address plus an index. */
static struct demand_value indexed(
	const struct demand_value *known, const struct demand_value *index)
{
	struct demand_value result = moved(known, (uint64_t)index->offset);

	result.index = index->index;
	result.index_bits = index->index_bits;
	result.index_scale = index->index_scale;
	return result;
}

/* Makes an index of an argument's lowest bits; nothing, if a number was added to it before. */
static struct demand_value index_of(const struct demand_value *argument, int32_t bits)
{
	if (argument->offset)
		return demand_value_nothing;
	return (struct demand_value){.kind = DEMAND_VALUE_PLAIN,
		.from = D_PIECE_FIXED,
		.index = argument->base + 1,
		.index_bits = bits,
		.index_scale = 1};
}

/* Whether it can be a count of bytes to read: an argument, perhaps cut to an int. */
bool demand_value_is_count(const struct demand_value *known, struct demand_value *argument)
{
	*argument = *known;
	if (is_index(known) && known->index_scale == 1 && !known->offset)
		*argument = (struct demand_value){.kind = DEMAND_VALUE_PLAIN,
			.from = D_PIECE_ARGUMENT,
			.base = known->index - 1};
	return is_argument(argument);
}

struct demand_value demand_value_multiply(
	const struct demand_value *one, const struct demand_value *other)
{
	struct demand_value result = demand_value_nothing;

	if (demand_value_is_number(one) && demand_value_is_number(other))
		return demand_value_number(
			(int64_t)((uint64_t)one->offset * (uint64_t)other->offset));
	if (demand_value_is_number(one))
		return demand_value_is_number(other) ? demand_value_nothing
						     : demand_value_multiply(other, one);
	if (!demand_value_is_number(other))
		return demand_value_nothing;
	if (is_argument(one))
		result = index_of(one, 64);
	else if (is_index(one))
		result = *one;
	result.offset = (int64_t)((uint64_t)result.offset * (uint64_t)other->offset);
	result.index_scale = (int64_t)((uint64_t)result.index_scale * (uint64_t)other->offset);
	return result;
}

struct demand_value demand_value_add(
	const struct demand_value *one, const struct demand_value *other)
{
	if (is_index(other) && one->kind == DEMAND_VALUE_PLAIN && !one->index)
		return indexed(one, other);
	if (is_index(one) && other->kind == DEMAND_VALUE_PLAIN && !other->index)
		return indexed(other, one);
	if (demand_value_is_number(other) && one->kind != DEMAND_VALUE_OWN)
		return moved(one, (uint64_t)other->offset);
	if (demand_value_is_number(one) && other->kind != DEMAND_VALUE_OWN)
		return moved(other, (uint64_t)one->offset);
	return demand_value_is_own(one) || demand_value_is_own(other) ? demand_value_own
								      : demand_value_nothing;
}

struct demand_value demand_value_subtract(
	const struct demand_value *one, const struct demand_value *other)
{
	if (demand_value_is_number(other) && one->kind != DEMAND_VALUE_OWN)
		return moved(one, -(uint64_t)other->offset);
	return demand_value_is_own(one) && !demand_value_is_own(other) ? demand_value_own
								       : demand_value_nothing;
}

/* As demand_value_cut(), for an index, which has been cut to index_bits before. */
static struct demand_value cut_index(const struct demand_value *known, int32_t bits)
{
	struct demand_value result = *known;
	int32_t before = known->index_bits;

	if (known->index_scale != 1 || known->offset)
		return demand_value_nothing;
	if (abs(bits) <= abs(before))
		result.index_bits = bits;
	else if (before < 0 && bits > 0)
		return demand_value_nothing;
	return result;
}

struct demand_value demand_value_cut(const struct demand_value *known, int32_t bits)
{
	unsigned above = 64 - (unsigned)(bits < 0 ? -bits : bits);
	uint64_t value = (uint64_t)known->offset << (above & 63);

	if (!(above & 63))
		return *known;
	if (is_argument(known))
		return index_of(known, bits);
	if (is_index(known))
		return cut_index(known, bits);
	if (!demand_value_is_number(known))
		return demand_value_nothing;
	return demand_value_number(bits < 0 ? (int64_t)value >> above : (int64_t)(value >> above));
}
