/* loss.c: see loss.h. */
#include "wire/loss.h"

#include <stdio.h>
#include <string.h>

#include "wire/wire.h"

#define BEFORE WIRE_MESSAGE
#define AFTER " events lost of "
#define SINCE " since "

bool loss_can_wait(unsigned reasons)
{
	return !reasons || reasons & LOSS_ROOM;
}

const char *loss_reason_text(unsigned reasons)
{
	switch (reasons) {
	case LOSS_INTERRUPTED:
		return "a signal handler fired them while its thread was writing another event, "
		       "and then nothing can wait";
	case LOSS_ROOM | LOSS_INTERRUPTED:
		return "the VM does not wait for ever, and not at all in a signal handler that has "
		       "interrupted the writing of another event";
	case LOSS_NO_RING:
		return "the library had no memory for the rings of the threads that fired them, "
		       "and then nothing can wait";
	case LOSS_ROOM | LOSS_NO_RING:
		return "the VM does not wait for ever, and not at all in threads for whose rings "
		       "the library has no memory";
	case LOSS_INTERRUPTED | LOSS_NO_RING:
	case LOSS_REASONS:
		return "the VM does not wait for ever, and not at all in threads for whose rings "
		       "the library has no memory, or in a signal handler that has interrupted the "
		       "writing of another event";
	default:
		return "the VM does not wait for ever";
	}
}

void loss_text(char text[LOSS_TEXT_MAX], uint64_t count, const char *of, uint64_t since)
{
	snprintf(text, LOSS_TEXT_MAX, BEFORE "%llu" AFTER "%.*s" SINCE "%llu ns",
		(unsigned long long)count, (int)strcspn(of, "("), of, (unsigned long long)since);
}

/* Copies what a text can have at most, and terminates it. */
static void copy_text(char copy[LOSS_TEXT_MAX], const char *text, size_t length)
{
	if (length > LOSS_TEXT_MAX - 1)
		length = LOSS_TEXT_MAX - 1;
	memcpy(copy, text, length);
	copy[length] = '\0';
}

uint64_t loss_text_count(const char *text, size_t length)
{
	unsigned long long count = 0;
	char copy[LOSS_TEXT_MAX];
	int end = 0;

	copy_text(copy, text, length);
	return sscanf(copy, BEFORE "%llu" AFTER "%n", &count, &end) == 1 && end ? count : 0;
}

uint64_t loss_text_since(const char *text, size_t length)
{
	unsigned long long since = 0;
	char copy[LOSS_TEXT_MAX];
	const char *at;

	if (!loss_text_count(text, length))
		return 0;
	copy_text(copy, text, length);
	at = strstr(copy, SINCE);
	return at && sscanf(at, SINCE "%llu", &since) == 1 ? since : 0;
}
