/*
 * json.h: finding one value in a JSON text by a path such as "a.b[2].c", as D's json()
 * does. Reads only as far as the value's end: what follows it is not looked at. Makes
 * nothing and keeps nothing.
 */
#ifndef VMTAP_ENGINE_JSON_H
#define VMTAP_ENGINE_JSON_H

#include <stdbool.h>
#include <stdint.h>

enum { JSON_DEPTH_MAX = 512 /* of values inside values; deeper is as if malformed */ };

struct json_text {
	const char *bytes;
	uint32_t length;
};

/*
 * *value is a part of the document: a string without its quotes and with its escapes as
 * they are, everything else as it stands. false: malformed, not there, or the path goes
 * through something that is no object or array.
 */
bool json_find(struct json_text document, struct json_text path, struct json_text *value);

#endif
