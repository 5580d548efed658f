/* known_value.c: see known_value.h. */
#include "program/known_value.h"

#include <stdlib.h>

#include "program/demand.h"

const struct known known_nothing = {.kind = KNOWN_NOTHING};
const struct known known_own = {.kind = KNOWN_OWN};

struct known known_number(int64_t value)
{
	return (struct known){.kind = KNOWN_VALUE, .from = D_PIECE_FIXED, .offset = value};
}

bool known_is_number(const struct known *known)
{
	return known->kind == KNOWN_VALUE && known->from == D_PIECE_FIXED && !known->index;
}

static bool is_argument(const struct known *known)
{
	return known->kind == KNOWN_VALUE && known->from == D_PIECE_ARGUMENT && !known->index;
}

/* Whether it is a number plus an index. */
static bool is_index(const struct known *known)
{
	return known->kind == KNOWN_VALUE && known->from == D_PIECE_FIXED && known->index;
}

bool known_is_own(const struct known *known)
{
	return known->kind >= KNOWN_COPY;
}

struct known known_common(const struct known *one, const struct known *other)
{
	if (one->kind == other->kind && one->from == other->from && one->base == other->base &&
		one->at == other->at && one->offset == other->offset &&
		one->index == other->index && one->index_bits == other->index_bits &&
		one->index_scale == other->index_scale)
		return *one;
	return known_is_own(one) && known_is_own(other) ? known_own : known_nothing;
}

static struct known moved(const struct known *known, uint64_t by)
{
	struct known result = *known;

	result.offset = (int64_t)((uint64_t)result.offset + by);
	return result;
}

/* An address plus an index. */
static struct known indexed(const struct known *known, const struct known *index)
{
	struct known result = moved(known, (uint64_t)index->offset);

	result.index = index->index;
	result.index_bits = index->index_bits;
	result.index_scale = index->index_scale;
	return result;
}

/* Makes an index of an argument's lowest bits; nothing, if a number was added to it before. */
static struct known index_of(const struct known *argument, int32_t bits)
{
	if (argument->offset)
		return known_nothing;
	return (struct known){.kind = KNOWN_VALUE,
		.from = D_PIECE_FIXED,
		.index = argument->base + 1,
		.index_bits = bits,
		.index_scale = 1};
}

/* Whether it can be a count of bytes to read: an argument, perhaps cut to an int. */
bool known_is_count(const struct known *known, struct known *argument)
{
	*argument = *known;
	if (is_index(known) && known->index_scale == 1 && !known->offset)
		*argument = (struct known){
			.kind = KNOWN_VALUE, .from = D_PIECE_ARGUMENT, .base = known->index - 1};
	return is_argument(argument);
}

struct known known_multiply(const struct known *one, const struct known *other)
{
	struct known result = known_nothing;

	if (known_is_number(one) && known_is_number(other))
		return known_number((int64_t)((uint64_t)one->offset * (uint64_t)other->offset));
	if (known_is_number(one))
		return known_is_number(other) ? known_nothing : known_multiply(other, one);
	if (!known_is_number(other))
		return known_nothing;
	if (is_argument(one))
		result = index_of(one, 64);
	else if (is_index(one))
		result = *one;
	result.offset = (int64_t)((uint64_t)result.offset * (uint64_t)other->offset);
	result.index_scale = (int64_t)((uint64_t)result.index_scale * (uint64_t)other->offset);
	return result;
}

struct known known_add(const struct known *one, const struct known *other)
{
	if (is_index(other) && one->kind == KNOWN_VALUE && !one->index)
		return indexed(one, other);
	if (is_index(one) && other->kind == KNOWN_VALUE && !other->index)
		return indexed(other, one);
	if (known_is_number(other) && one->kind != KNOWN_OWN)
		return moved(one, (uint64_t)other->offset);
	if (known_is_number(one) && other->kind != KNOWN_OWN)
		return moved(other, (uint64_t)one->offset);
	return known_is_own(one) || known_is_own(other) ? known_own : known_nothing;
}

struct known known_subtract(const struct known *one, const struct known *other)
{
	if (known_is_number(other) && one->kind != KNOWN_OWN)
		return moved(one, -(uint64_t)other->offset);
	return known_is_own(one) && !known_is_own(other) ? known_own : known_nothing;
}

/* As known_cut(), for an index, which has been cut to index_bits before. */
static struct known cut_index(const struct known *known, int32_t bits)
{
	struct known result = *known;
	int32_t before = known->index_bits;

	if (known->index_scale != 1 || known->offset)
		return known_nothing;
	if (abs(bits) <= abs(before))
		result.index_bits = bits;
	else if (before < 0 && bits > 0)
		return known_nothing;
	return result;
}

struct known known_cut(const struct known *known, int32_t bits)
{
	unsigned above = 64 - (unsigned)(bits < 0 ? -bits : bits);
	uint64_t value = (uint64_t)known->offset << (above & 63);

	if (!(above & 63))
		return *known;
	if (is_argument(known))
		return index_of(known, bits);
	if (is_index(known))
		return cut_index(known, bits);
	if (!known_is_number(known))
		return known_nothing;
	return known_number(bits < 0 ? (int64_t)value >> above : (int64_t)(value >> above));
}
