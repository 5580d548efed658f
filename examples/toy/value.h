/*
 * value.h: what a variable of the guest language holds, in 64 bits.
 *
 * A value is a double, or, encoded as a negative quiet NaN of IEEE 754, an integer of 48
 * bits, a symbol, a heap object, or one of nil, false and true. So numbers never allocate.
 * value_double() makes NaNs canonical; nothing else may build a value from a double's bits.
 */
#ifndef TOY_VALUE_H
#define TOY_VALUE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

typedef uint64_t value;

struct object;
struct symbol;

#define VALUE_TAG_SHIFT 48
#define VALUE_TAG_INT 0xfff9ULL
#define VALUE_TAG_SYMBOL 0xfffaULL
#define VALUE_TAG_CONSTANT 0xfffbULL
#define VALUE_TAG_OBJECT 0xfffcULL
#define VALUE_PAYLOAD ((1ULL << VALUE_TAG_SHIFT) - 1)

#define VALUE_NIL (VALUE_TAG_CONSTANT << VALUE_TAG_SHIFT | 0)
#define VALUE_FALSE (VALUE_TAG_CONSTANT << VALUE_TAG_SHIFT | 1)
#define VALUE_TRUE (VALUE_TAG_CONSTANT << VALUE_TAG_SHIFT | 2)
/* Never seen by guest code: an unset global, a deleted hash entry. */
#define VALUE_UNDEFINED (VALUE_TAG_CONSTANT << VALUE_TAG_SHIFT | 3)

#define VALUE_INT_MAX ((int64_t)((1ULL << 47) - 1))
#define VALUE_INT_MIN (-VALUE_INT_MAX - 1)

/*
 * A place in the heap that guest threads share. It is written with release and read with
 * acquire order, so that a reader sees a complete object even if the guest program does not
 * synchronise (plain moves on x86-64).
 */
typedef _Atomic(value) slot;

static inline value slot_load(const slot *place)
{
	return atomic_load_explicit((slot *)place, memory_order_acquire);
}

static inline void slot_store(slot *place, value content)
{
	atomic_store_explicit(place, content, memory_order_release);
}

static inline bool value_is_double(value v)
{
	return v < VALUE_TAG_INT << VALUE_TAG_SHIFT;
}

static inline bool value_is_int(value v)
{
	return v >> VALUE_TAG_SHIFT == VALUE_TAG_INT;
}

static inline bool value_is_symbol(value v)
{
	return v >> VALUE_TAG_SHIFT == VALUE_TAG_SYMBOL;
}

static inline bool value_is_object(value v)
{
	return v >> VALUE_TAG_SHIFT == VALUE_TAG_OBJECT;
}

/* nil and false are false, everything else is true. */
static inline bool value_is_true(value v)
{
	return v != VALUE_NIL && v != VALUE_FALSE;
}

static inline bool value_is_number(value v)
{
	return v < VALUE_TAG_SYMBOL << VALUE_TAG_SHIFT;
}

static inline bool value_fits_int(int64_t number)
{
	return number >= VALUE_INT_MIN && number <= VALUE_INT_MAX;
}

/* number must fit 48 bits. */
static inline value value_int(int64_t number)
{
	return VALUE_TAG_INT << VALUE_TAG_SHIFT | ((uint64_t)number & VALUE_PAYLOAD);
}

static inline int64_t value_to_int(value v)
{
	return (int64_t)(v << 16) >> 16;
}

static inline value value_double(double number)
{
	value v;

	if (number != number)
		return 0x7ff8000000000000ULL;
	memcpy(&v, &number, sizeof(v));
	return v;
}

static inline double value_to_double(value v)
{
	double number;

	memcpy(&number, &v, sizeof(number));
	return number;
}

/* Of an int or a double. */
static inline double value_number(value v)
{
	return value_is_int(v) ? (double)value_to_int(v) : value_to_double(v);
}

static inline value value_bool(bool truth)
{
	return truth ? VALUE_TRUE : VALUE_FALSE;
}

static inline value value_object(const void *object)
{
	return VALUE_TAG_OBJECT << VALUE_TAG_SHIFT | (uint64_t)(uintptr_t)object;
}

static inline void *value_to_object(value v)
{
	return (void *)(uintptr_t)(v & VALUE_PAYLOAD);
}

static inline value value_symbol(const struct symbol *symbol)
{
	return VALUE_TAG_SYMBOL << VALUE_TAG_SHIFT | (uint64_t)(uintptr_t)symbol;
}

static inline struct symbol *value_to_symbol(value v)
{
	return (struct symbol *)(uintptr_t)(v & VALUE_PAYLOAD);
}

#endif
