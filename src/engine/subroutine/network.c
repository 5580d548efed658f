/* network.c: see network.h. */
#include "engine/subroutine/network.h"

#include <stdio.h>
#include <string.h>

enum { WORDS = NETWORK_IPV6_BYTES / 2, EMBEDDED_AT = 12 };

void network_ipv4(const uint8_t bytes[NETWORK_IPV4_BYTES], char text[NETWORK_TEXT_MAX])
{
	snprintf(text, NETWORK_TEXT_MAX, "%u.%u.%u.%u", bytes[0], bytes[1], bytes[2], bytes[3]);
}

/*
 * Mapped (::ffff:a.b.c.d), or compatible (::a.b.c.d), which does not include ::1 and similar
 * addresses.
 */
static bool has_ipv4(const uint8_t *bytes)
{
	static const uint8_t zeros[EMBEDDED_AT], mapped[EMBEDDED_AT] = {[10] = 0xff, [11] = 0xff};

	if (!memcmp(bytes, mapped, sizeof(mapped)))
		return true;
	return !memcmp(bytes, zeros, sizeof(zeros)) && (bytes[12] || bytes[13]);
}

/*
 * Finds the longest run of at least two zero words, the first of several equally long; count 0:
 * none.
 */
static void find_zeros(const uint16_t *words, unsigned limit, unsigned *first, unsigned *count)
{
	*first = *count = 0;
	for (unsigned i = 0; i < limit; i++) {
		unsigned run = 0;
		while (i + run < limit && !words[i + run])
			run++;
		if (run > 1 && run > *count) {
			*first = i;
			*count = run;
		}
		i += run;
	}
}

void network_ipv6(const uint8_t bytes[NETWORK_IPV6_BYTES], enum network_embedded embedded,
	char text[NETWORK_TEXT_MAX])
{
	bool ipv4 = has_ipv4(bytes);
	unsigned limit = ipv4 ? EMBEDDED_AT / 2 : WORDS, first, count;
	uint16_t words[WORDS];
	char *at = text;

	if (ipv4 && embedded == NETWORK_EMBEDDED_ALONE) {
		network_ipv4(bytes + EMBEDDED_AT, text);
		return;
	}
	for (unsigned i = 0; i < WORDS; i++)
		words[i] = (uint16_t)(bytes[2 * i] << 8 | bytes[2 * i + 1]);
	find_zeros(words, limit, &first, &count);
	*at = '\0';
	for (unsigned i = 0; i < limit;) {
		if (count && i == first) {
			at = stpcpy(at, "::");
			i += count;
			continue;
		}
		if (at > text && at[-1] != ':')
			*at++ = ':';
		at += sprintf(at, "%x", words[i++]);
	}
	if (ipv4) {
		if (at > text && at[-1] != ':')
			*at++ = ':';
		sprintf(at, "%u.%u.%u.%u", bytes[12], bytes[13], bytes[14], bytes[15]);
	}
}

void network_link(const uint8_t *bytes, uint32_t count, char text[NETWORK_TEXT_MAX])
{
	char *at = text;

	*at = '\0';
	for (uint32_t i = 0; i < count; i++)
		at += sprintf(at, i ? ":%02x" : "%02x", bytes[i]);
}
