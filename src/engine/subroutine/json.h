/*
 * json.h: finds one value in a JSON text by a path such as "a.b[2].c", as D's json() does. It reads
 * only to the end of the value and does not look at what follows. It allocates nothing and keeps no
 * state.
 */
#ifndef VMTAP_ENGINE_SUBROUTINE_JSON_H
#define VMTAP_ENGINE_SUBROUTINE_JSON_H

#include <stdbool.h>
#include <stdint.h>

enum { JSON_DEPTH_MAX = 512 /* of nested values; deeper counts as malformed */ };

struct json_text {
	const char *bytes;
	uint32_t length;
};

/*
 * *value is a part of the document: a string without its quotes and with its escapes unchanged,
 * anything else as written. false: malformed, not found, or the path leads through something that
 * is not an object or array.
 */
bool json_find(struct json_text document, struct json_text path, struct json_text *value);

#endif
