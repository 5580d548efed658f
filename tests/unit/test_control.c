/*
 * test_control.c: the parser of control frames: every kind, any split, junk anywhere, frames that
 * are cut off, have wrong sizes or are unknown.
 */
#include <stdlib.h>
#include <string.h>

#include "shim/stream/control.h"
#include "unit_main.h"

#define NAMED                                                                                      \
	"\xf0\x9e\x97\x8c\0\x0f"                                                                   \
	"eventlog-socket"
#define BYTES(text) (const unsigned char *)(text), sizeof(text) - 1

/* The commands found, one letter each: s start, p start with a period, t stop, r request,
 * l latency, m samples, followed by their unit and period, v subscription, followed by the number
 * of its types. */
static char found[256];

static void note(const struct control *control, enum control_command command)
{
	size_t at = strlen(found);

	switch (command) {
	case CONTROL_NONE:
		break;
	case CONTROL_HEAP_START:
		found[at] = control->period ? 'p' : 's';
		break;
	case CONTROL_HEAP_STOP:
		found[at] = 't';
		break;
	case CONTROL_HEAP_REQUEST:
		found[at] = 'r';
		break;
	case CONTROL_LATENCY:
		found[at] = 'l';
		break;
	case CONTROL_SAMPLE:
		found[at] = 'm';
		found[at + 1] = (char)('0' + control->unit);
		found[at + 2] = (char)('0' + control->period);
		break;
	case CONTROL_SUBSCRIBE:
		found[at] = 'v';
		found[at + 1] = (char)('0' + control->type_count);
		break;
	}
}

/* The bytes are in a block of their length: AddressSanitizer detects a byte read beyond it. */
static void feed(struct control *control, const unsigned char *text, size_t length)
{
	unsigned char *block = malloc(length), *bytes = memcpy(block, text, length);
	enum control_command command;
	size_t taken;

	do {
		command = control_feed(control, bytes, length, &taken);
		ck_assert_uint_le(taken, length);
		ck_assert_uint_lt(control->length, CONTROL_FRAME_MAX);
		bytes += taken;
		length -= taken;
		note(control, command);
	} while (command != CONTROL_NONE);
	ck_assert_uint_eq(length, 0);
	free(block);
}

/* The commands found must not depend on how the bytes are split: tries every pair of places, and
 * single bytes. */
static void check_all_splits(const unsigned char *bytes, size_t length, const char *expected)
{
	struct control control;

	for (size_t first = 0; first <= length; first++)
		for (size_t second = first; second <= length; second++) {
			memset(&control, 0, sizeof(control));
			memset(found, 0, sizeof(found));
			feed(&control, bytes, first);
			feed(&control, bytes + first, second - first);
			feed(&control, bytes + second, length - second);
			ck_assert_str_eq(found, expected);
		}
	memset(&control, 0, sizeof(control));
	memset(found, 0, sizeof(found));
	for (size_t i = 0; i < length; i++)
		feed(&control, bytes + i, 1);
	ck_assert_str_eq(found, expected);
}

START_TEST(every_command)
{
	check_all_splits(BYTES("GCTL\1GCTL\2GCTL\3"), "str");
	check_all_splits(BYTES(NAMED "\3" NAMED "\4" NAMED "\5"), "str");
	check_all_splits(BYTES("VMTH\0\0\0\0\0\0\0\0\1VMTH\0\0\0\0\0\0\0\0\0"), "pt");
	check_all_splits(BYTES("VMTL\0\0\0\0\0\0\0\0\1VMTL\1GCTL\3"), "lr");
	check_all_splits(
		BYTES("VMTS\0\1\0\0\0\0\0\0\0\5VMTS\0\2\0\0\0\0\0\0\0\0GCTL\3"), "m15m20r");
	check_all_splits(BYTES("VMTP\0\0\0\0\0\0\0\3\0\1\0\2\0\3VMTP\0\0\0\0\0\0\0\0"), "v3v0");
}
END_TEST

START_TEST(the_time_profiler_is_known_and_does_nothing)
{
	check_all_splits(BYTES(NAMED "\1" NAMED "\2GCTL\3"), "r");
}
END_TEST

START_TEST(junk_and_unknown_commands_hide_nothing)
{
	check_all_splits(BYTES("junkGCTL\3VVMTGCTL\1"), "rs");
	check_all_splits(BYTES("GCTL\0GCTL\4GCTL\377GCTL\2"), "t");
	check_all_splits(BYTES(NAMED "\0" NAMED "\6" NAMED "\5"), "r");
	check_all_splits(BYTES("GGCTL\1VMTVMTH\0\0\0\0\0\0\0\0\0"), "st");
}
END_TEST

START_TEST(names_match_exactly)
{
	/* the length in octal, a mistake that has been seen in print */
	check_all_splits(BYTES("\xf0\x9e\x97\x8c\0\x15"
			       "eventlog-socket\3GCTL\3"),
		"r");
	check_all_splits(BYTES("\xf0\x9e\x97\x8c\0\x0f"
			       "eventlog-sockeT\3GCTL\3"),
		"r");
	check_all_splits(BYTES("\xf0\x9e\x97\x8c\0\x0e"
			       "eventlog-socke\3GCTL\3"),
		"r");
	check_all_splits(BYTES("\xf0\x9e\x97\x8c\1\x0f"
			       "eventlog-socket\3GCTL\3"),
		"r");
	check_all_splits(BYTES("\xf0\x9e\x97\x8c\0\0\3GCTL\3"), "r");
}
END_TEST

START_TEST(frames_cut_off_stall_nothing)
{
	check_all_splits(BYTES("GCTLGCTL\1"), "s");
	check_all_splits(BYTES("\xf0\x9e\x97\x8c\0\x0f"
			       "eventGCTL\1"),
		"s");
	check_all_splits(BYTES("\xf0\x9e\x97\x8c\0\xff"
			       "GCTL\1"),
		"s");
	check_all_splits(BYTES("VMTP\1VMTP\2GCTL\1"), "s");
	/* more types than a subscription may have */
	check_all_splits(BYTES("VMTP\0\0\0\0\0\1\4\1GCTL\1"), "s");
	/* a whole frame inside the beginning of an invalid one */
	check_all_splits(BYTES("VMTP\0GCTL\1\377\377GCTL\2"), "st");
}
END_TEST

enum { TYPES_FRAME_MAX = WIRE_SUBSCRIBE_BYTES + 2 * CONTROL_TYPES_MAX };

START_TEST(a_subscription_of_the_largest_size)
{
	static unsigned char frame[TYPES_FRAME_MAX + 5] = "VMTP\0\5\1\2\3\4\4";
	static struct control control;
	size_t taken;

	for (unsigned i = 0; i < CONTROL_TYPES_MAX; i++) {
		frame[WIRE_SUBSCRIBE_BYTES + 2 * i] = (unsigned char)(i >> 8);
		frame[WIRE_SUBSCRIBE_BYTES + 2 * i + 1] = (unsigned char)i;
	}
	memcpy(frame + TYPES_FRAME_MAX, "GCTL\3", 5);
	ck_assert_int_eq(control_feed(&control, frame, sizeof(frame), &taken), CONTROL_SUBSCRIBE);
	ck_assert_uint_eq(taken, TYPES_FRAME_MAX);
	ck_assert_uint_eq(control.flags, 5);
	ck_assert_uint_eq(control.tag, 0x01020304);
	ck_assert_uint_eq(control.type_count, CONTROL_TYPES_MAX);
	for (unsigned i = 0; i < CONTROL_TYPES_MAX; i++)
		ck_assert_uint_eq(control_type(&control, i), i);
	ck_assert_int_eq(control_feed(&control, frame + taken, 5, &taken), CONTROL_HEAP_REQUEST);
}
END_TEST

/* Names and event types, in any split; what is cut off is no entry. */
START_TEST(a_subscription_by_names)
{
	static const unsigned char entries[] =
		"\015vm:::gc-start\0\3\0\0\240\1*\377\377\377cut off";
	static unsigned char frame[WIRE_SUBSCRIBE_BYTES + sizeof(entries) - 1] =
		"VMTP\1\5\1\2\3\4\0";
	static struct control control;
	struct control_entry entry;
	enum control_command command = CONTROL_NONE;
	size_t taken, at = 0;

	frame[11] = sizeof(entries) - 1;
	memcpy(frame + WIRE_SUBSCRIBE_BYTES, entries, sizeof(entries) - 1);
	for (size_t i = 0; i < sizeof(frame); i++) {
		ck_assert_int_eq(command, CONTROL_NONE);
		command = control_feed(&control, frame + i, 1, &taken);
	}
	ck_assert_int_eq(command, CONTROL_SUBSCRIBE);
	ck_assert(control.by_name);
	ck_assert_uint_eq(control.flags, 5);
	ck_assert_uint_eq(control.tag, 0x01020304);
	ck_assert_uint_eq(control.type_count, 0);
	ck_assert_uint_eq(control.entry_bytes, sizeof(entries) - 1);
	ck_assert(control_next_entry(control_entries(&control), control.entry_bytes, &at, &entry));
	ck_assert_uint_eq(entry.length, 13);
	ck_assert_int_eq(memcmp(entry.name, "vm:::gc-start", 13), 0);
	ck_assert_uint_eq(entry.strings, 3);
	ck_assert(control_next_entry(control_entries(&control), control.entry_bytes, &at, &entry));
	ck_assert_ptr_null(entry.name);
	ck_assert_uint_eq(entry.type, 160);
	ck_assert(control_next_entry(control_entries(&control), control.entry_bytes, &at, &entry));
	ck_assert_uint_eq(entry.length, 1);
	ck_assert_uint_eq(entry.strings, 0xffff);
	ck_assert(!control_next_entry(control_entries(&control), control.entry_bytes, &at, &entry));
}
END_TEST

START_TEST(a_period_is_in_nanoseconds)
{
	static struct control control;
	size_t taken;

	ck_assert_int_eq(control_feed(&control, BYTES("VMTH\0\0\0\0\1\2\3\4\5"), &taken),
		CONTROL_HEAP_START);
	ck_assert_uint_eq(control.period, UINT64_C(0x102030405));
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_test(tests, every_command);
	tcase_add_test(tests, the_time_profiler_is_known_and_does_nothing);
	tcase_add_test(tests, junk_and_unknown_commands_hide_nothing);
	tcase_add_test(tests, names_match_exactly);
	tcase_add_test(tests, frames_cut_off_stall_nothing);
	tcase_add_test(tests, a_subscription_of_the_largest_size);
	tcase_add_test(tests, a_subscription_by_names);
	tcase_add_test(tests, a_period_is_in_nanoseconds);
}
