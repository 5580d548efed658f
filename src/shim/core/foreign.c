/*
 * foreign.c: what languages other than C need besides guards and fire functions: probes by their
 * names, and names made of texts that have no NUL. Part of the probe part, and linked only if it is
 * used.
 */
#include <stdlib.h>
#include <string.h>

#include "shim/core/object.h"

int vmtap_probe_number(const char *name, size_t length)
{
	for (int i = 0; i < VMTAP_PROBES; i++) {
		const char *own = vmtap_probe_names[i];
		if (strlen(own) == length && !memcmp(own, name, length))
			return i;
	}
	return -1;
}

struct vmtap_name *vmtap_name_new(const char *text, size_t length)
{
	struct vmtap_name *name;
	char *copy;

	if (length > UINT32_MAX)
		length = UINT32_MAX;
	length = strnlen(text, length);
	name = malloc(sizeof(*name) + length + 1);
	if (!name)
		return NULL;
	copy = memcpy(name + 1, text, length);
	copy[length] = '\0';
	vmtap_name_init(name, copy, length);
	return name;
}

void vmtap_name_free(struct vmtap_name *name)
{
	free(name);
}
