/* tuple.c: see tuple.h. */
#include "engine/store/tuple.h"

#include <string.h>

void tuple_shape_init(
	struct tuple_shape *shape, const struct d_value_type *types, uint8_t count, uint32_t limit)
{
	memset(shape, 0, sizeof(*shape));
	shape->types = types;
	shape->count = count;
	shape->limit = limit;
	for (unsigned i = 0; i < count; i++) {
		if (d_value_is_text(types[i].kind))
			shape->strings |= 1u << i;
		else if (types[i].size < 8)
			shape->narrow |= 1u << i;
	}
}

/* The key for a stack that is not set: an empty stack without a process. */
static const char no_stack_bytes[sizeof(uint64_t) + 1];
static const struct text no_stack = {no_stack_bytes, sizeof(uint64_t), 0};

static const struct text *cut_text(
	struct tuple *tuple, unsigned key, const struct text *text, uint32_t limit)
{
	struct text *cut = &tuple->cut[key];

	cut->bytes = text->bytes;
	cut->length = text->length < limit ? text->length : limit;
	cut->hash = text_hash(cut->bytes, cut->length);
	return cut;
}

bool tuple_gather_any(struct tuple *tuple, const struct tuple_shape *shape,
	const uint64_t *registers, uint64_t seed)
{
	uint64_t hash = seed;

	for (unsigned i = 0; i < shape->count; i++) {
		uint64_t word = registers[i];
		if (shape->strings & 1u << i) {
			const struct text *text = value_text(word);
			if (!text && d_value_is_stack(shape->types[i].kind))
				text = cut_text(tuple, i, &no_stack, no_stack.length);
			if (!text)
				return false;
			if (shape->types[i].kind == D_VALUE_STRING &&
				(text->length > shape->limit || !text->hash))
				text = cut_text(tuple, i, text, shape->limit);
			tuple->words[i] = value_of_text(text);
			hash = tuple_mix(hash, text->hash);
		} else {
			if (shape->narrow & 1u << i)
				word = value_cut(
					word, shape->types[i].size, shape->types[i].is_signed);
			tuple->words[i] = word;
			hash = tuple_mix(hash, word);
		}
	}
	tuple->hash = (uint32_t)hash;
	return true;
}

void tuple_from_stored(
	struct tuple *tuple, const struct tuple_shape *shape, const uint64_t *words, uint32_t hash)
{
	memcpy(tuple->words, words, shape->count * sizeof(*words));
	tuple->hash = hash;
}

bool tuple_strings_equal(
	const struct tuple_shape *shape, const uint64_t *words, const struct tuple *tuple)
{
	for (unsigned i = 0; i < shape->count; i++) {
		if (shape->strings & 1u << i) {
			const struct text *a = value_text(words[i]);
			const struct text *b = value_text(tuple->words[i]);
			if (a->length != b->length || a->hash != b->hash ||
				memcmp(a->bytes, b->bytes, a->length) != 0)
				return false;
		} else if (words[i] != tuple->words[i]) {
			return false;
		}
	}
	return true;
}

size_t tuple_size(const struct tuple_shape *shape, const struct tuple *tuple)
{
	size_t size = shape->count * sizeof(uint64_t);

	for (unsigned i = 0; i < shape->count; i++)
		if (shape->strings & 1u << i)
			size += sizeof(struct text) + value_text(tuple->words[i])->length + 1;
	return size;
}

void tuple_store(const struct tuple_shape *shape, const struct tuple *tuple, uint64_t *words)
{
	struct text *texts = (struct text *)(words + shape->count);
	unsigned string_count = (unsigned)__builtin_popcount(shape->strings);
	char *bytes = (char *)(texts + string_count);

	for (unsigned i = 0; i < shape->count; i++) {
		const struct text *text;
		words[i] = tuple->words[i];
		if (!(shape->strings & 1u << i))
			continue;
		text = value_text(tuple->words[i]);
		memcpy(bytes, text->bytes, text->length);
		bytes[text->length] = '\0';
		*texts = (struct text){bytes, text->length, text->hash};
		words[i] = value_of_text(texts);
		bytes += text->length + 1;
		texts++;
	}
}

int text_compare(const struct text *a, const struct text *b, uint32_t limit)
{
	uint32_t a_length, b_length;
	int order;

	if (a == b)
		return 0;
	if (!a || !b)
		return a ? 1 : -1;
	a_length = a->length < limit ? a->length : limit;
	b_length = b->length < limit ? b->length : limit;
	order = memcmp(a->bytes, b->bytes, a_length < b_length ? a_length : b_length);
	if (order == 0)
		return (a_length > b_length) - (a_length < b_length);
	return order < 0 ? -1 : 1;
}

/* Compares the 64-bit words: the process, then the addresses. */
static int compare_places(const struct text *a, const struct text *b)
{
	uint32_t length = a->length < b->length ? a->length : b->length;

	for (uint32_t at = 0; at < length; at += sizeof(uint64_t)) {
		uint64_t left, right;
		memcpy(&left, a->bytes + at, sizeof(left));
		memcpy(&right, b->bytes + at, sizeof(right));
		if (left != right)
			return left < right ? -1 : 1;
	}
	return (a->length > b->length) - (a->length < b->length);
}

int tuple_compare(const struct tuple_shape *shape, const uint64_t *a, const uint64_t *b, int first)
{
	unsigned count = shape->count;
	unsigned start = first > 0 && (unsigned)first < count ? (unsigned)first : 0;

	for (unsigned i = 0; i < count; i++) {
		unsigned key = start + i < count ? start + i : start + i - count;
		int order;
		if (shape->types[key].kind >= D_VALUE_GUEST_STACK)
			order = compare_places(value_text(a[key]), value_text(b[key]));
		else if (shape->strings & 1u << key)
			order = text_compare(value_text(a[key]), value_text(b[key]), UINT32_MAX);
		else
			order = (a[key] > b[key]) - (a[key] < b[key]);
		if (order)
			return order;
	}
	return 0;
}
