/* stability.c: see stability.h. */
#include "base/stability.h"

#include <string.h>
#include <strings.h>

static const char *const levels[STABILITY_LEVELS] = {"Internal", "Private", "Obsolete", "External",
	"Unstable", "Evolving", "Stable", "Standard"};
static const char *const classes[STABILITY_CLASSES] = {
	"Unknown", "CPU", "Platform", "Group", "ISA", "Common"};
static const char *const part_names[STABILITY_PARTS] = {
	"provider", "module", "function", "name", "args"};

const struct stability stability_stable = {STABILITY_STABLE, STABILITY_STABLE, STABILITY_COMMON};
const struct stability stability_greatest = {
	STABILITY_STANDARD, STABILITY_STANDARD, STABILITY_COMMON};

static int find_word(
	const char *const *words, int count, const char *text, size_t length, bool exact)
{
	for (int i = 0; i < count; i++) {
		if (strlen(words[i]) == length &&
			!(exact ? strncmp(words[i], text, length)
				: strncasecmp(words[i], text, length)))
			return i;
	}
	return -1;
}

bool stability_parse(const char *text, size_t length, struct stability *stability)
{
	const char *end = text + length, *first, *second;
	int name, data, class;

	first = memchr(text, '/', length);
	second = first ? memchr(first + 1, '/', (size_t)(end - first - 1)) : NULL;
	if (!second)
		return false;
	name = find_word(levels, STABILITY_LEVELS, text, (size_t)(first - text), false);
	data = find_word(levels, STABILITY_LEVELS, first + 1, (size_t)(second - first - 1), false);
	class = find_word(
		classes, STABILITY_CLASSES, second + 1, (size_t)(end - second - 1), false);
	if (name < 0 || data < 0 || class < 0)
		return false;
	*stability = (struct stability){(uint8_t)name, (uint8_t)data, (uint8_t) class};
	return true;
}

int stability_part(const char *text, size_t length)
{
	return find_word(part_names, STABILITY_PARTS, text, length, true);
}

const char *stability_text(struct stability stability, char text[STABILITY_TEXT_MAX])
{
	snprintf(text, STABILITY_TEXT_MAX, "%s/%s/%s", levels[stability.name],
		levels[stability.data], classes[stability.class]);
	return text;
}

static uint8_t least(uint8_t one, uint8_t another)
{
	return one < another ? one : another;
}

struct stability stability_least(struct stability one, struct stability another)
{
	return (struct stability){least(one.name, another.name), least(one.data, another.data),
		least(one.class, another.class)};
}

bool stability_is_less(struct stability a, struct stability b)
{
	return a.name < b.name || a.data < b.data || a.class < b.class;
}

void stability_print(FILE *output, struct stability stability)
{
	fprintf(output,
		"\t\tIdentifier Names: %s\n"
		"\t\tData Semantics:   %s\n"
		"\t\tDependency Class: %s\n",
		levels[stability.name], levels[stability.data], classes[stability.class]);
}
