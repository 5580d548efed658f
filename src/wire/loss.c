/* loss.c: see loss.h. */
#include "wire/loss.h"

#include <stdio.h>
#include <string.h>

#include "wire/wire.h"

#define BEFORE WIRE_MESSAGE
#define AFTER " events lost of "

void loss_text(char text[LOSS_TEXT_MAX], uint64_t count, const char *of, uint64_t since)
{
	snprintf(text, LOSS_TEXT_MAX, BEFORE "%llu" AFTER "%.*s since %llu ns",
		(unsigned long long)count, (int)strcspn(of, "("), of, (unsigned long long)since);
}

uint64_t loss_text_count(const char *text, size_t length)
{
	unsigned long long count = 0;
	char copy[LOSS_TEXT_MAX];
	int end = 0;

	if (length > sizeof(copy) - 1)
		length = sizeof(copy) - 1;
	memcpy(copy, text, length);
	copy[length] = '\0';
	return sscanf(copy, BEFORE "%llu" AFTER "%n", &count, &end) == 1 && end ? count : 0;
}
