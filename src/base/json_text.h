/*
 * json_text.h: writes text of any bytes as a string of JSON. Code that writes JSON piece by piece
 * uses this; code that builds whole documents uses jansson.
 */
#ifndef VMTAP_BASE_JSON_TEXT_H
#define VMTAP_BASE_JSON_TEXT_H

#include <stddef.h>
#include <stdio.h>

/*
 * Writes the bytes in double quotes. Control characters, '"', '\' and DEL are escaped, and so are
 * '<', '>', '&', U+2028 and U+2029, so that the text can also be in an HTML page's script. Each
 * byte that is not UTF-8 becomes U+FFFD.
 */
void json_text_print(const char *bytes, size_t length, FILE *output);

#endif
