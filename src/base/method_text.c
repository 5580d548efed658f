/* method_text.c: see method_text.h. */
#include "base/method_text.h"

#include <stdbool.h>
#include <string.h>

static const char meta_end[] = ".class", meta_start[] = "#<Class:", python_end[] = ".py",
		  frozen_start[] = "<frozen ", none[] = "(none)";

enum { FRAME_BYTES = sizeof(frozen_start) - 1 };

_Static_assert(sizeof(meta_start) == sizeof(frozen_start), "both frames begin with as many bytes");

static bool begins_with(struct method_part part, const char *start)
{
	return part.length > strlen(start) && !memcmp(part.text, start, strlen(start));
}

static bool ends_in(struct method_part part, const char *end)
{
	size_t length = strlen(end);

	return part.length > length && !memcmp(part.text + part.length - length, end, length);
}

/* Returns true if the part is "#<Class:Class>" or "<frozen module>". */
static bool is_framed(struct method_part part)
{
	return part.length > FRAME_BYTES + 1 && part.text[part.length - 1] == '>' &&
		(begins_with(part, meta_start) || begins_with(part, frozen_start));
}

static size_t append(char *to, size_t size, size_t at, const char *text, size_t length)
{
	size_t room = size - 1 - at;

	length = length < room ? length : room;
	memcpy(to + at, text, length);
	return at + length;
}

size_t method_text(char *to, size_t size, struct method_part class, struct method_part method)
{
	const char *separator = "#";
	size_t at;

	if (class.length == strlen(none) && !memcmp(class.text, none, class.length))
		class.length = 0;
	if (ends_in(class, meta_end) || ends_in(class, python_end)) {
		class.length -= strlen(ends_in(class, meta_end) ? meta_end : python_end);
		separator = ".";
	} else if (is_framed(class)) {
		class.text += FRAME_BYTES;
		class.length -= FRAME_BYTES + 1;
		separator = ".";
	}
	at = append(to, size, 0, class.text, class.length);
	if (class.length)
		at = append(to, size, at, separator, 1);
	at = append(to, size, at, method.text, method.length);
	to[at] = '\0';
	return at;
}
