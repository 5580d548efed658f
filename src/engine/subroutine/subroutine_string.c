/*
 * subroutine_string.c: strings and paths; see subroutine_call.h. Searches work on bytes, as in D.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/store/value.h"
#include "engine/subroutine/json.h"
#include "engine/subroutine/subroutine_call.h"

enum d_fault subroutine_strlen(struct subroutine_call *call)
{
	call->result = subroutine_string(call, 0).length;
	return D_FAULT_NONE;
}

enum d_fault subroutine_strjoin(struct subroutine_call *call)
{
	struct engine *engine = call->engine;
	struct span left = subroutine_string(call, 0), right = subroutine_string(call, 1);
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
	call->result = value_of_text(joined);
	return D_FAULT_NONE;
}

/* The rest of a string from `at`; NULL if nothing was found. */
static enum d_fault give_rest(struct subroutine_call *call, struct span string, const char *at)
{
	return at ? subroutine_give(call, at, (uint32_t)(string.bytes + string.length - at))
		  : D_FAULT_NONE;
}

enum d_fault subroutine_strchr(struct subroutine_call *call)
{
	struct span string = subroutine_string(call, 0);

	return give_rest(
		call, string, memchr(string.bytes, (char)call->arguments[1], string.length));
}

enum d_fault subroutine_strrchr(struct subroutine_call *call)
{
	struct span string = subroutine_string(call, 0);

	return give_rest(
		call, string, memrchr(string.bytes, (char)call->arguments[1], string.length));
}

enum d_fault subroutine_strstr(struct subroutine_call *call)
{
	struct span string = subroutine_string(call, 0), part = subroutine_string(call, 1);

	return give_rest(
		call, string, memmem(string.bytes, string.length, part.bytes, part.length));
}

/* The first match of `part` at or after a position, -1 for none. */
static int64_t find_part(struct span string, struct span part, int64_t from)
{
	const char *found;

	if (from < 0)
		from = 0;
	if (from > string.length)
		return -1;
	found = memmem(string.bytes + from, string.length - (size_t)from, part.bytes, part.length);
	return found ? found - string.bytes : -1;
}

enum d_fault subroutine_index(struct subroutine_call *call)
{
	int64_t from = call->count > 2 ? (int64_t)call->arguments[2] : 0;

	call->result =
		(uint64_t)find_part(subroutine_string(call, 0), subroutine_string(call, 1), from);
	return D_FAULT_NONE;
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

enum d_fault subroutine_rindex(struct subroutine_call *call)
{
	struct span string = subroutine_string(call, 0);
	int64_t from = call->count > 2 ? (int64_t)call->arguments[2] : string.length;

	call->result = (uint64_t)find_last(string, subroutine_string(call, 1), from);
	return D_FAULT_NONE;
}

/* A negative start counts from the end, a negative count drops from the end. */
enum d_fault subroutine_substr(struct subroutine_call *call)
{
	struct span string = subroutine_string(call, 0);
	int64_t length = string.length, from = (int64_t)call->arguments[1];
	int64_t count = call->count > 2 ? (int64_t)call->arguments[2] : call->engine->string_limit;

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
	return subroutine_give(call, string.bytes + from, count > 0 ? (uint32_t)count : 0);
}

/* The next token of the string that strtok() was given in this firing; NULL: no more tokens. */
static enum d_fault next_token(struct subroutine_call *call, struct span delimiters)
{
	struct tokens *tokens = &call->engine->tokens;
	uint32_t start, end;

	if (!tokens->active)
		return fault_set(call->engine, D_FAULT_BADADDR, 0);
	while (tokens->at < tokens->length &&
		memchr(delimiters.bytes, tokens->bytes[tokens->at], delimiters.length))
		tokens->at++;
	start = tokens->at;
	if (start == tokens->length)
		return D_FAULT_NONE;
	while (tokens->at < tokens->length &&
		!memchr(delimiters.bytes, tokens->bytes[tokens->at], delimiters.length))
		tokens->at++;
	/*
	 * Unlike in C, the delimiter after a token is not consumed: the next call's own delimiters
	 * decide whether it is skipped.
	 */
	end = tokens->at;
	return subroutine_give(call, tokens->bytes + start, end - start);
}

enum d_fault subroutine_strtok_next(struct subroutine_call *call)
{
	return next_token(call, subroutine_string(call, 0));
}

enum d_fault subroutine_strtok(struct subroutine_call *call)
{
	struct tokens *tokens = &call->engine->tokens;
	struct span string = subroutine_string(call, 0);

	/* It outlives the clause, so it is not in scratch. */
	if (string.length > tokens->capacity) {
		char *grown = realloc(tokens->bytes, string.length);
		if (!grown)
			return fault_set(call->engine, D_FAULT_NOSCRATCH, 0);
		tokens->bytes = grown;
		tokens->capacity = string.length;
	}
	if (string.length)
		memcpy(tokens->bytes, string.bytes, string.length);
	tokens->length = string.length;
	tokens->at = 0;
	tokens->active = true;
	return next_token(call, subroutine_string(call, 1));
}

static enum d_fault change_case(struct subroutine_call *call, char from, char to)
{
	struct span string = subroutine_string(call, 0);
	enum d_fault fault = subroutine_give(call, string.bytes, string.length);
	struct text *text;
	char *bytes;

	if (fault)
		return fault;
	/* The copy belongs to this clause. */
	text = (struct text *)(uintptr_t)call->result;
	bytes = (char *)(text + 1);
	for (uint32_t i = 0; i < string.length; i++)
		if (bytes[i] >= from && bytes[i] <= from + 25)
			bytes[i] = (char)(bytes[i] - from + to);
	text->hash = text_hash(bytes, string.length);
	return D_FAULT_NONE;
}

enum d_fault subroutine_toupper(struct subroutine_call *call)
{
	return change_case(call, 'a', 'A');
}

enum d_fault subroutine_tolower(struct subroutine_call *call)
{
	return change_case(call, 'A', 'a');
}

/* Copies to a text as much as has room. */
static void append_part(struct text *text, uint32_t limit, const char *bytes, size_t length)
{
	if (length > limit - text->length)
		length = limit - text->length;
	memcpy((char *)(text + 1) + text->length, bytes, length);
	text->length += (uint32_t)length;
}

enum d_fault subroutine_strreplace(struct subroutine_call *call)
{
	struct engine *engine = call->engine;
	struct span string = subroutine_string(call, 0), from = subroutine_string(call, 1);
	struct span to = subroutine_string(call, 2);
	const char *at = string.bytes, *end = string.bytes + string.length, *match;
	struct text *text;

	if (!from.length || from.length > string.length)
		return subroutine_give(call, string.bytes, string.length);
	text = scratch_get(&engine->scratch, sizeof(*text) + (size_t)engine->string_limit + 1);
	if (!text)
		return fault_set(engine, D_FAULT_NOSCRATCH, 0);
	*text = (struct text){.bytes = (const char *)(text + 1)};
	while ((match = memmem(at, (size_t)(end - at), from.bytes, from.length))) {
		append_part(text, engine->string_limit, at, (size_t)(match - at));
		append_part(text, engine->string_limit, to.bytes, to.length);
		at = match + from.length;
	}
	append_part(text, engine->string_limit, at, (size_t)(end - at));
	((char *)(text + 1))[text->length] = '\0';
	text->hash = text_hash(text->bytes, text->length);
	call->result = value_of_text(text);
	return D_FAULT_NONE;
}

enum d_fault subroutine_character(struct subroutine_call *call)
{
	struct span string = subroutine_string(call, 0);
	uint64_t index = call->arguments[1];

	if (index > call->engine->string_limit)
		return fault_set(call->engine, D_FAULT_BADINDEX, index);
	if (index < string.length)
		call->result = (uint64_t)(int64_t)(int8_t)string.bytes[index];
	return D_FAULT_NONE;
}

/* Without the slashes at its end; a path of slashes only keeps one. */
static struct span without_slashes(struct span path)
{
	while (path.length > 1 && path.bytes[path.length - 1] == '/')
		path.length--;
	return path;
}

enum d_fault subroutine_basename(struct subroutine_call *call)
{
	struct span path = without_slashes(subroutine_string(call, 0));
	uint32_t start;

	if (path.length == 0)
		return subroutine_give(call, ".", 1);
	for (start = path.length; start > 0 && path.bytes[start - 1] != '/'; start--)
		;
	if (start == path.length)
		start = 0; /* "/" */
	return subroutine_give(call, path.bytes + start, path.length - start);
}

enum d_fault subroutine_dirname(struct subroutine_call *call)
{
	struct span path = without_slashes(subroutine_string(call, 0));

	while (path.length > 0 && path.bytes[path.length - 1] != '/')
		path.length--;
	if (path.length == 0)
		return subroutine_give(call, ".", 1);
	path = without_slashes(path);
	return subroutine_give(call, path.bytes, path.length);
}

/* Removes empty parts, "." and each part that a ".." cancels. */
enum d_fault subroutine_cleanpath(struct subroutine_call *call)
{
	struct span path = subroutine_string(call, 0);
	bool absolute = path.length && path.bytes[0] == '/';
	char *clean = scratch_get(&call->engine->scratch, (size_t)path.length + 2);
	uint32_t length = 0, kept = 0, at = 0; /* kept: what ".." must not remove */

	if (!clean)
		return fault_set(call->engine, D_FAULT_NOSCRATCH, 0);
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
	return subroutine_give(call, clean, length);
}

enum d_fault subroutine_json(struct subroutine_call *call)
{
	struct span document = subroutine_string(call, 0), path = subroutine_string(call, 1);
	struct json_text value;

	if (!json_find((struct json_text){document.bytes, document.length},
		    (struct json_text){path.bytes, path.length}, &value))
		return D_FAULT_NONE;
	return subroutine_give(call, value.bytes, value.length);
}
