/* place.c: see place.h. */
#include "wire/place.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define PREFIX "vmtap-"

static const char *const bases[PLACE_DIRECTORIES - 1] = {"/tmp", "/dev/shm", "/var/tmp"};

const char *place_base(unsigned index)
{
	return index && index < PLACE_DIRECTORIES ? bases[index - 1] : NULL;
}

bool place_directory(unsigned index, const char *runtime, uint32_t user, char *path, size_t size)
{
	int length;

	if (index >= PLACE_DIRECTORIES || (!index && (!runtime || runtime[0] != '/')))
		return false;
	if (!index)
		length = snprintf(path, size, "%s/vmtap", runtime);
	else
		length = snprintf(path, size, "%s/" PREFIX "%" PRIu32, bases[index - 1], user);
	return length >= 0 && (size_t)length < size;
}

void place_random(uint32_t user, char name[PLACE_NAME_MAX])
{
	snprintf(name, PLACE_NAME_MAX, PREFIX "%" PRIu32 "-XXXXXX", user);
}

/* Reads a decimal number without leading zeros and returns the character after it, or NULL. */
static const char *read_number(const char *text, uint32_t *number)
{
	uint64_t value = 0;

	if (*text < '0' || *text > '9' || (text[0] == '0' && text[1] >= '0' && text[1] <= '9'))
		return NULL;
	for (; *text >= '0' && *text <= '9'; text++) {
		value = value * 10 + (uint64_t)(*text - '0');
		if (value > UINT32_MAX)
			return NULL;
	}
	*number = (uint32_t)value;
	return text;
}

bool place_is_directory(const char *name, uint32_t *user, bool *is_random)
{
	const char *end = NULL;

	if (!strncmp(name, PREFIX, strlen(PREFIX)))
		end = read_number(name + strlen(PREFIX), user);
	*is_random = end && *end == '-';
	return end && (!*end || *is_random);
}

void place_socket(uint32_t pid, unsigned alternative, char name[PLACE_NAME_MAX])
{
	if (alternative)
		snprintf(name, PLACE_NAME_MAX, "%" PRIu32 ".%u", pid, alternative);
	else
		snprintf(name, PLACE_NAME_MAX, "%" PRIu32, pid);
}

bool place_is_socket(const char *name, uint32_t *pid)
{
	const char *end = read_number(name, pid);
	uint32_t alternative;

	if (!end || !*end)
		return end;
	end = *end == '.' ? read_number(end + 1, &alternative) : NULL;
	return end && !*end && alternative && alternative < PLACE_ALTERNATIVES;
}

bool place_has_pid(const char *chosen)
{
	for (const char *at = strchr(chosen, '%'); at && at[1]; at = strchr(at + 2, '%'))
		if (at[1] == 'p')
			return true;
	return false;
}

bool place_expand(const char *chosen, uint32_t pid, char *path, size_t size)
{
	size_t length = 0;

	for (; *chosen; chosen++) {
		int added = 1;
		if (chosen[0] == '%' && chosen[1] == 'p') {
			added = snprintf(path + length, size - length, "%" PRIu32, pid);
			chosen++;
		} else {
			if (chosen[0] == '%' && chosen[1] == '%')
				chosen++;
			path[length] = *chosen;
		}
		length += (size_t)added;
		if (length >= size)
			return false;
	}
	path[length] = '\0';
	return true;
}
