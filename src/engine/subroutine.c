/*
 * subroutine.c: see subroutine.h. Every length is taken after strsize has cut the string,
 * and no result is longer than it. Searches see bytes, as D does.
 */
#include "engine/subroutine.h"

#include <endian.h>
#include <net/if_arp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "engine/json.h"
#include "engine/network.h"

enum {
	NUMBER_MAX = 72, /* 64 binary digits, a prefix, a sign */
	BASE_MAX = 36,
	MINOR_BITS = 20 /* of a device number in the kernel */
};

/* A string argument as this file works on it. */
struct span {
	const char *bytes;
	uint32_t length;
};

static struct span span_of(const struct engine *engine, uint64_t argument)
{
	const struct text *text = value_text(argument);
	uint32_t length = text->length < engine->string_limit ? text->length : engine->string_limit;

	return (struct span){text->bytes, length};
}

/* A copy of bytes; NULL without scratch. */
static const struct text *copy(struct engine *engine, const char *bytes, uint32_t length)
{
	struct text *text = scratch_get(&engine->scratch, sizeof(*text) + (size_t)length + 1);
	char *copied = (char *)(text + 1);

	if (!text)
		return NULL;
	memcpy(copied, bytes, length);
	copied[length] = '\0';
	*text = (struct text){copied, length, text_hash(copied, length)};
	return text;
}

const struct text *subroutine_part(
	struct engine *engine, const struct text *text, uint32_t offset, uint64_t limit)
{
	uint32_t length = text->length - offset;

	if (offset == 0 && length <= limit)
		return text;
	return copy(engine, text->bytes + offset, length < limit ? length : (uint32_t)limit);
}

/* The string as a result, cut at strsize, or the fault of having no scratch for it. */
static enum d_fault give(
	struct engine *engine, const char *bytes, uint32_t length, uint64_t *result)
{
	const struct text *text;

	if (length > engine->string_limit)
		length = engine->string_limit;
	text = copy(engine, bytes, length);
	if (!text)
		return fault_set(engine, D_FAULT_NOSCRATCH, 0);
	*result = value_of_text(text);
	return D_FAULT_NONE;
}

/* What begins at `at` in a string, or NULL where nothing was found. */
static enum d_fault give_rest(
	struct engine *engine, struct span string, const char *at, uint64_t *result)
{
	*result = 0;
	return at ? give(engine, at, (uint32_t)(string.bytes + string.length - at), result)
		  : D_FAULT_NONE;
}

/* copyinstr(): the string at an address, of at most limit characters. */
static enum d_fault copy_in(
	struct engine *engine, uint64_t address, int64_t limit, uint64_t *result)
{
	const struct text *text;
	enum d_fault fault;

	if (limit < 0 || limit > engine->string_limit)
		limit = engine->string_limit;
	fault = memory_text(engine, address, (uint64_t)limit, &text);
	if (!fault)
		*result = value_of_text(text);
	return fault;
}

static enum d_fault join(
	struct engine *engine, struct span left, struct span right, uint64_t *result)
{
	uint32_t room = engine->string_limit - left.length;
	struct text *joined;
	char *bytes;

	if (right.length > room)
		right.length = room;
	joined = scratch_get(
		&engine->scratch, sizeof(*joined) + (size_t)left.length + right.length + 1);
	if (!joined)
		return fault_set(engine, D_FAULT_NOSCRATCH, 0);
	bytes = (char *)(joined + 1);
	memcpy(bytes, left.bytes, left.length);
	memcpy(bytes + left.length, right.bytes, right.length);
	joined->bytes = bytes;
	joined->length = left.length + right.length;
	bytes[joined->length] = '\0';
	joined->hash = text_hash(bytes, joined->length);
	*result = value_of_text(joined);
	return D_FAULT_NONE;
}

/* The first match of `part` at or behind a position, -1 for none. */
static int64_t find(struct span string, struct span part, int64_t from)
{
	const char *found;

	if (from < 0)
		from = 0;
	if (from > string.length)
		return -1;
	found = memmem(string.bytes + from, string.length - (size_t)from, part.bytes, part.length);
	return found ? found - string.bytes : -1;
}

/* The last match of `part` at or before a position, -1 for none. */
static int64_t find_last(struct span string, struct span part, int64_t from)
{
	int64_t last = (int64_t)string.length - part.length;

	if (from > last)
		from = last;
	for (; from >= 0; from--)
		if (!memcmp(string.bytes + from, part.bytes, part.length))
			return from;
	return -1;
}

/* A negative start counts from the end, a negative count drops from the end. */
static enum d_fault substring(
	struct engine *engine, struct span string, int64_t from, int64_t count, uint64_t *result)
{
	int64_t length = string.length;

	if (from < 0) {
		from += length;
		if (from < 0 && from + count > 0) {
			count += from;
			from = 0;
		}
	}
	if (from < 0 || from >= length)
		from = count = 0;
	else if (count < 0)
		count += length - from;
	else if (count > length - from)
		count = length - from;
	return give(engine, string.bytes + from, count > 0 ? (uint32_t)count : 0, result);
}

/* The next token of what strtok() was given in this firing; NULL when there is none. */
static enum d_fault next_token(struct engine *engine, struct span delimiters, uint64_t *result)
{
	struct tokens *tokens = &engine->tokens;
	uint32_t start, end;

	if (!tokens->active)
		return fault_set(engine, D_FAULT_BADADDR, 0);
	while (tokens->at < tokens->length &&
		memchr(delimiters.bytes, tokens->bytes[tokens->at], delimiters.length))
		tokens->at++;
	start = tokens->at;
	*result = 0;
	if (start == tokens->length)
		return D_FAULT_NONE;
	while (tokens->at < tokens->length &&
		!memchr(delimiters.bytes, tokens->bytes[tokens->at], delimiters.length))
		tokens->at++;
	end = tokens->at;
	/* As in C, the delimiter behind a token is gone, whatever the next delimiters are. */
	if (tokens->at < tokens->length)
		tokens->at++;
	return give(engine, tokens->bytes + start, end - start, result);
}

static enum d_fault first_token(
	struct engine *engine, struct span string, struct span delimiters, uint64_t *result)
{
	struct tokens *tokens = &engine->tokens;

	/* It outlives the clause, so it is not in scratch. */
	if (string.length > tokens->capacity) {
		char *grown = realloc(tokens->bytes, string.length);
		if (!grown)
			return fault_set(engine, D_FAULT_NOSCRATCH, 0);
		tokens->bytes = grown;
		tokens->capacity = string.length;
	}
	if (string.length)
		memcpy(tokens->bytes, string.bytes, string.length);
	tokens->length = string.length;
	tokens->at = 0;
	tokens->active = true;
	return next_token(engine, delimiters, result);
}

static enum d_fault change_case(
	struct engine *engine, struct span string, char from, char to, uint64_t *result)
{
	enum d_fault fault = give(engine, string.bytes, string.length, result);
	struct text *text;
	char *bytes;

	if (fault)
		return fault;
	/* The copy is this clause's own. */
	text = (struct text *)(uintptr_t)*result;
	bytes = (char *)(text + 1);
	for (uint32_t i = 0; i < string.length; i++)
		if (bytes[i] >= from && bytes[i] <= from + 25)
			bytes[i] = (char)(bytes[i] - from + to);
	text->hash = text_hash(bytes, string.length);
	return D_FAULT_NONE;
}

/* Without the slashes at its end; a path of slashes only keeps one. */
static struct span without_slashes(struct span path)
{
	while (path.length > 1 && path.bytes[path.length - 1] == '/')
		path.length--;
	return path;
}

static enum d_fault base_name(struct engine *engine, struct span path, uint64_t *result)
{
	uint32_t start;

	path = without_slashes(path);
	if (path.length == 0)
		return give(engine, ".", 1, result);
	for (start = path.length; start > 0 && path.bytes[start - 1] != '/'; start--)
		;
	if (start == path.length)
		start = 0; /* "/" */
	return give(engine, path.bytes + start, path.length - start, result);
}

static enum d_fault directory_name(struct engine *engine, struct span path, uint64_t *result)
{
	path = without_slashes(path);
	while (path.length > 0 && path.bytes[path.length - 1] != '/')
		path.length--;
	if (path.length == 0)
		return give(engine, ".", 1, result);
	path = without_slashes(path);
	return give(engine, path.bytes, path.length, result);
}

/* Takes out empty parts, "." and what ".." undoes. */
static enum d_fault clean_path(struct engine *engine, struct span path, uint64_t *result)
{
	bool absolute = path.length && path.bytes[0] == '/';
	char *clean = scratch_get(&engine->scratch, (size_t)path.length + 2);
	uint32_t length = 0, kept = 0, at = 0; /* kept: what ".." may not undo */

	if (!clean)
		return fault_set(engine, D_FAULT_NOSCRATCH, 0);
	if (absolute) {
		clean[0] = '/';
		length = kept = 1;
	}
	while (at < path.length) {
		const char *part = path.bytes + at;
		const char *slash = memchr(part, '/', path.length - at);
		uint32_t size = slash ? (uint32_t)(slash - part) : path.length - at;
		bool up = size == 2 && part[0] == '.' && part[1] == '.';
		at += size + 1;
		if (size == 0 || (size == 1 && part[0] == '.') || (up && absolute && length == 1))
			continue;
		if (up && length > kept) {
			while (length > kept && clean[length - 1] != '/')
				length--;
			if (length > kept)
				length--; /* the slash */
			continue;
		}
		if (length && clean[length - 1] != '/')
			clean[length++] = '/';
		memcpy(clean + length, part, size);
		length += size;
		if (up)
			kept = length;
	}
	if (length == 0 && path.length)
		clean[length++] = '.';
	return give(engine, clean, length, result);
}

/* Decimal is signed; other bases show the 64 bits, 16 and 8 with their prefix. */
static enum d_fault number_text(
	struct engine *engine, int64_t number, int64_t base, uint64_t *result)
{
	static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";
	bool negative = base == 10 && number < 0;
	uint64_t left = negative ? -(uint64_t)number : (uint64_t)number;
	char text[NUMBER_MAX], *at = text + sizeof(text);

	if (base < 2 || base > BASE_MAX)
		return fault_set(engine, D_FAULT_ILLOP, 0);
	do {
		*--at = digits[left % (uint64_t)base];
		left /= (uint64_t)base;
	} while (left);
	if (base == 16)
		*--at = 'x';
	if (base == 16 || (base == 8 && number))
		*--at = '0';
	if (negative)
		*--at = '-';
	return give(engine, at, (uint32_t)(text + sizeof(text) - at), result);
}

static int digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'Z' ? c - 'A' + 10 : BASE_MAX;
}

/* Digits up to the first that is none; wraps. */
static enum d_fault text_number(
	struct engine *engine, struct span string, int64_t base, uint64_t *result)
{
	const char *at = string.bytes, *end = at + string.length;
	bool negative;
	uint64_t number = 0;

	if (base < 2 || base > BASE_MAX)
		return fault_set(engine, D_FAULT_ILLOP, 0);
	while (at < end && (*at == ' ' || *at == '\t'))
		at++;
	negative = at < end && *at == '-';
	if (at < end && (*at == '-' || *at == '+'))
		at++;
	if (base == 16 && end - at > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X') &&
		digit_of(at[2]) < 16)
		at += 2;
	for (; at < end && digit_of(*at) < base; at++)
		number = number * (uint64_t)base + (uint64_t)digit_of(*at);
	*result = negative ? -number : number;
	return D_FAULT_NONE;
}

static enum d_fault json_value(
	struct engine *engine, struct span document, struct span path, uint64_t *result)
{
	struct json_text value;

	*result = 0;
	if (!json_find((struct json_text){document.bytes, document.length},
		    (struct json_text){path.bytes, path.length}, &value))
		return D_FAULT_NONE;
	return give(engine, value.bytes, value.length, result);
}

/* Steps through all 64-bit states; the mixing makes neighbours unlike. */
static uint64_t random_number(struct engine *engine)
{
	uint64_t number = engine->random += UINT64_C(0x9e3779b97f4a7c15);

	number = (number ^ number >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	number = (number ^ number >> 27) * UINT64_C(0x94d049bb133111eb);
	return (number ^ number >> 31) >> 33;
}

/*
 * alloca(): all of a clause together take at most scratchsize. alloca(0) is where the next
 * block will be, each time the same address until there is one.
 */
static enum d_fault allocate(struct engine *engine, uint64_t size, uint64_t *result)
{
	uint64_t limit = engine->program->options.scratchsize;
	enum d_fault fault = D_FAULT_NONE;

	if (engine->allocated > limit || size > limit - engine->allocated)
		return fault_set(engine, D_FAULT_NOSCRATCH, 0);
	engine->allocated += (size + 7) & ~UINT64_C(7);
	if (!engine->nothing)
		fault = memory_block(engine, size, &engine->nothing);
	else if (size)
		fault = memory_block_again(engine, size, engine->nothing);
	*result = engine->nothing;
	if (size)
		engine->nothing = 0;
	return fault;
}

/* copyin(): a block of size bytes from an address. */
static enum d_fault copy_block(
	struct engine *engine, uint64_t from, uint64_t size, uint64_t *result)
{
	uint64_t block;
	enum d_fault fault = memory_block(engine, size, &block);

	if (!fault)
		fault = memory_copy(engine, block, from, size);
	if (!fault)
		*result = block;
	return fault;
}

/* memref(): an address and a size, beside each other in a block. */
static enum d_fault reference(struct engine *engine, const uint64_t pair[2], uint64_t *result)
{
	uint64_t block;
	enum d_fault fault = memory_block(engine, 2 * sizeof(pair[0]), &block);

	if (!fault)
		fault = memory_write(engine, block, 2 * sizeof(pair[0]), pair);
	if (!fault)
		*result = block;
	return fault;
}

/* memstr(): memory as a string, its last byte being the string's end. */
static enum d_fault memory_string(
	struct engine *engine, uint64_t address, char instead, uint64_t size, uint64_t *result)
{
	uint32_t length;
	struct text *text;
	char *bytes;
	enum d_fault fault;

	*result = 0;
	if (!size)
		return D_FAULT_NONE;
	length = size - 1 < engine->string_limit ? (uint32_t)(size - 1) : engine->string_limit;
	text = scratch_get(&engine->scratch, sizeof(*text) + (size_t)length + 1);
	if (!text)
		return fault_set(engine, D_FAULT_NOSCRATCH, 0);
	bytes = (char *)(text + 1);
	fault = length ? memory_read(engine, address, length, bytes) : D_FAULT_NONE;
	if (fault)
		return fault;
	bytes[length] = '\0';
	for (char *nul = bytes; (nul = memchr(nul, '\0', (size_t)(bytes + length - nul)));)
		*nul++ = instead;
	/* A NUL put for NULs ends it. */
	length = (uint32_t)strnlen(bytes, length);
	*text = (struct text){bytes, length, text_hash(bytes, length)};
	*result = value_of_text(text);
	return D_FAULT_NONE;
}

/* An address of a family in memory; of others Oracle's DTrace takes it for one of IPv4. */
static enum d_fault internet_text(struct engine *engine, int64_t family, uint64_t address,
	enum network_embedded embedded, uint64_t *result)
{
	uint8_t bytes[NETWORK_IPV6_BYTES];
	char text[NETWORK_TEXT_MAX];
	enum d_fault fault;

	fault = memory_read(engine, address,
		family == AF_INET6 ? NETWORK_IPV6_BYTES : NETWORK_IPV4_BYTES, bytes);
	if (fault)
		return fault;
	if (family == AF_INET6)
		network_ipv6(bytes, embedded, text);
	else
		network_ipv4(bytes, text);
	return give(engine, text, (uint32_t)strlen(text), result);
}

/* A hardware address of Ethernet or InfiniBand in memory. */
static enum d_fault link_text(
	struct engine *engine, uint64_t type, uint64_t address, uint64_t *result)
{
	uint8_t bytes[NETWORK_INFINIBAND_BYTES];
	char text[NETWORK_TEXT_MAX];
	uint32_t count = type == ARPHRD_ETHER ? NETWORK_ETHERNET_BYTES
		: type == ARPHRD_INFINIBAND   ? NETWORK_INFINIBAND_BYTES
					      : 0;
	enum d_fault fault;

	if (!count)
		return fault_set(engine, D_FAULT_ILLOP, 0);
	fault = memory_read(engine, address, count, bytes);
	if (fault)
		return fault;
	network_link(bytes, count, text);
	return give(engine, text, (uint32_t)strlen(text), result);
}

enum d_fault subroutine_call(struct engine *engine, enum d_subroutine which,
	const uint64_t *arguments, unsigned count, uint64_t *result)
{
	/* Where a last argument may be left out: what stands for it. */
	int64_t second = count > 1 ? (int64_t)arguments[1] : 10;
	int64_t third = count > 2 ? (int64_t)arguments[2] : engine->string_limit;
	struct span one = {"", 0}, two = {"", 0};
	enum d_fault fault;

	for (unsigned i = 0; i < count && i < 2; i++) {
		if (!(d_subroutines[which].strings & 1u << i))
			continue;
		if (!arguments[i])
			return fault_set(engine, D_FAULT_BADADDR, 0);
		*(i ? &two : &one) = span_of(engine, arguments[i]);
	}
	switch (which) {
	case D_SUBROUTINE_COPYINSTR:
		return copy_in(engine, arguments[0], second, result);
	case D_SUBROUTINE_STRINGOF:
		return copy_in(engine, arguments[0], -1, result);
	case D_SUBROUTINE_STRJOIN:
		return join(engine, one, two, result);
	case D_SUBROUTINE_STRLEN:
		*result = one.length;
		return D_FAULT_NONE;
	case D_SUBROUTINE_STRCHR:
		return give_rest(engine, one, memchr(one.bytes, (char)second, one.length), result);
	case D_SUBROUTINE_STRRCHR:
		return give_rest(engine, one, memrchr(one.bytes, (char)second, one.length), result);
	case D_SUBROUTINE_STRSTR:
		return give_rest(
			engine, one, memmem(one.bytes, one.length, two.bytes, two.length), result);
	case D_SUBROUTINE_INDEX:
		*result = (uint64_t)find(one, two, count > 2 ? third : 0);
		return D_FAULT_NONE;
	case D_SUBROUTINE_RINDEX:
		*result = (uint64_t)find_last(one, two, third);
		return D_FAULT_NONE;
	case D_SUBROUTINE_SUBSTR:
		return substring(engine, one, second, third, result);
	case D_SUBROUTINE_STRTOK:
		return first_token(engine, one, two, result);
	case D_SUBROUTINE_STRTOK_NEXT:
		return next_token(engine, one, result);
	case D_SUBROUTINE_TOUPPER:
		return change_case(engine, one, 'a', 'A', result);
	case D_SUBROUTINE_TOLOWER:
		return change_case(engine, one, 'A', 'a', result);
	case D_SUBROUTINE_BASENAME:
		return base_name(engine, one, result);
	case D_SUBROUTINE_DIRNAME:
		return directory_name(engine, one, result);
	case D_SUBROUTINE_CLEANPATH:
		return clean_path(engine, one, result);
	case D_SUBROUTINE_LLTOSTR:
		return number_text(engine, (int64_t)arguments[0], second, result);
	case D_SUBROUTINE_STRTOLL:
		return text_number(engine, one, second, result);
	case D_SUBROUTINE_CHARACTER:
		if ((uint64_t)second > engine->string_limit)
			return fault_set(engine, D_FAULT_BADINDEX, (uint64_t)second);
		*result = second < one.length ? (uint64_t)(int64_t)(int8_t)one.bytes[second] : 0;
		return D_FAULT_NONE;
	case D_SUBROUTINE_SWAP16:
		*result = htobe16((uint16_t)arguments[0]);
		return D_FAULT_NONE;
	case D_SUBROUTINE_SWAP32:
		*result = htobe32((uint32_t)arguments[0]);
		return D_FAULT_NONE;
	case D_SUBROUTINE_SWAP64:
		*result = htobe64(arguments[0]);
		return D_FAULT_NONE;
	case D_SUBROUTINE_JSON:
		return json_value(engine, one, two, result);
	case D_SUBROUTINE_RAND:
		*result = random_number(engine);
		return D_FAULT_NONE;
	case D_SUBROUTINE_PROGENYOF:
		*result = lineage_contains(
			&engine->lineage, engine->firing.process, engine->recorded, arguments[0]);
		return D_FAULT_NONE;
	case D_SUBROUTINE_GETMAJOR:
		*result = (uint32_t)(arguments[0] >> MINOR_BITS);
		return D_FAULT_NONE;
	case D_SUBROUTINE_GETMINOR:
		*result = arguments[0] & ((1u << MINOR_BITS) - 1);
		return D_FAULT_NONE;
	case D_SUBROUTINE_ALLOCA:
		return allocate(engine, arguments[0], result);
	case D_SUBROUTINE_BLOCK:
		return memory_block(engine, arguments[0], result);
	case D_SUBROUTINE_COPYIN:
		return copy_block(engine, arguments[0], arguments[1], result);
	case D_SUBROUTINE_COPYINTO:
		fault = memory_copy(engine, arguments[2], arguments[0], arguments[1]);
		*result = 0;
		return fault;
	case D_SUBROUTINE_COPYOUT:
	case D_SUBROUTINE_COPYOUTSTR:
		return fault_set(engine, D_FAULT_BADADDR, arguments[1]);
	case D_SUBROUTINE_BCOPY:
		fault = memory_copy(engine, arguments[1], arguments[0], arguments[2]);
		*result = 0;
		return fault;
	case D_SUBROUTINE_MEMREF:
		return reference(engine, arguments, result);
	case D_SUBROUTINE_MEMSTR:
		return memory_string(engine, arguments[0], (char)second, arguments[2], result);
	case D_SUBROUTINE_SPECULATION:
		*result = (uint64_t)speculation_new(&engine->speculations);
		return D_FAULT_NONE;
	case D_SUBROUTINE_INET_NTOA:
		return internet_text(engine, AF_INET, arguments[0], NETWORK_EMBEDDED_MIXED, result);
	case D_SUBROUTINE_INET_NTOA6:
		return internet_text(engine, AF_INET6, arguments[0],
			count > 1 && arguments[1] ? NETWORK_EMBEDDED_HEXADECIMAL
						  : NETWORK_EMBEDDED_ALONE,
			result);
	case D_SUBROUTINE_INET_NTOP:
		return internet_text(engine, (int64_t)arguments[0], arguments[1],
			NETWORK_EMBEDDED_MIXED, result);
	case D_SUBROUTINE_LINK_NTOP:
		return link_text(engine, arguments[0], arguments[1], result);
	case D_SUBROUTINE_LOCK:
	case D_SUBROUTINE_KERNEL:
	case D_SUBROUTINE_KERNEL_TEXT:
	case D_SUBROUTINES:
		break;
	}
	return fault_set(engine, D_FAULT_ILLOP, 0);
}
