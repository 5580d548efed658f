/*
 * test_engine_format.c: printf's conversions, the forms of trace() and of keys, each
 * against the text that DTrace prints.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/format.h"
#include "engine/value.h"

static char *text;
static size_t text_size;
static FILE *stream;

static void open_stream(void)
{
	stream = open_memstream(&text, &text_size);
	ck_assert_ptr_nonnull(stream);
}

#define ck_assert_printed(expected)                                                                \
	do {                                                                                       \
		fclose(stream);                                                                    \
		ck_assert_str_eq(text, expected);                                                  \
		free(text);                                                                        \
	} while (0)

static struct d_value_type integer(unsigned size, bool is_signed)
{
	return (struct d_value_type){D_VALUE_INTEGER, is_signed, false, size};
}

static struct d_text string(const char *bytes)
{
	return (struct d_text){bytes, (uint32_t)strlen(bytes), 0};
}

START_TEST(test_integers)
{
	struct d_conversion conversion = {
		.present = true, .kind = D_CONVERT_SIGNED, .letter = 'd', .type = integer(4, true)};

	open_stream();
	format_conversion(&conversion, -1, -1, UINT64_C(0xffffffff80000000), stream);
	putc('|', stream);
	format_conversion(&conversion, 6, -1, 42, stream);
	putc('|', stream);
	format_conversion(&conversion, 6, 4, 42, stream);
	putc('|', stream);
	format_conversion(&conversion, -6, -1, 42, stream);
	putc('|', stream);
	conversion.minus = true;
	format_conversion(&conversion, 6, -1, 42, stream);
	putc('|', stream);
	conversion.minus = false;
	conversion.zero = conversion.plus = true;
	format_conversion(&conversion, 6, -1, 42, stream);
	putc('|', stream);
	conversion = (struct d_conversion){
		.kind = D_CONVERT_UNSIGNED, .letter = 'd', .type = integer(2, true)};
	format_conversion(&conversion, -1, -1, UINT64_MAX, stream);
	putc('|', stream);
	conversion.letter = 'x';
	conversion.alternate = true;
	conversion.type.size = 4;
	format_conversion(&conversion, -1, -1, UINT64_MAX, stream);
	putc('|', stream);
	conversion.letter = 'X';
	conversion.type.size = 1;
	format_conversion(&conversion, -1, -1, UINT64_MAX, stream);
	putc('|', stream);
	conversion = (struct d_conversion){
		.kind = D_CONVERT_UNSIGNED, .letter = 'o', .type = integer(8, false)};
	format_conversion(&conversion, -1, -1, 8, stream);
	putc('|', stream);
	conversion.kind = D_CONVERT_POINTER;
	conversion.letter = 'p';
	format_conversion(&conversion, -1, -1, UINT64_MAX, stream);
	ck_assert_printed("-2147483648|    42|  0042|42    |42    |+00042|65535|0xffffffff|0XFF|10|"
			  "ffffffffffffffff");
}
END_TEST

START_TEST(test_strings)
{
	struct d_conversion conversion = {.kind = D_CONVERT_STRING,
		.letter = 's',
		.type = {D_VALUE_STRING, false, false, 256}};
	struct d_text plain = string("hello"), odd = string("a\tb\"\x01");

	open_stream();
	format_conversion(&conversion, -1, -1, value_of_text(&plain), stream);
	putc('|', stream);
	format_conversion(&conversion, 8, 2, value_of_text(&plain), stream);
	putc('|', stream);
	format_conversion(&conversion, -1, 0, value_of_text(&plain), stream);
	putc('|', stream);
	conversion.minus = true;
	format_conversion(&conversion, 8, -1, value_of_text(&plain), stream);
	putc('|', stream);
	conversion.letter = 'S';
	format_conversion(&conversion, 14, -1, value_of_text(&odd), stream);
	putc('|', stream);
	conversion = (struct d_conversion){
		.kind = D_CONVERT_CHARACTER, .letter = 'c', .type = integer(1, true)};
	format_conversion(&conversion, 3, -1, 'x', stream);
	putc('|', stream);
	conversion.letter = 'C';
	format_conversion(&conversion, -1, -1, '\n', stream);
	ck_assert_printed("hello|      he||hello   |a\\tb\\\"\\x01    |  x|\\n");
}
END_TEST

/* A width from an event's data must not print without end. */
START_TEST(test_width_is_bounded)
{
	struct d_conversion conversion = {
		.kind = D_CONVERT_SIGNED, .letter = 'd', .type = integer(8, true)};

	open_stream();
	format_conversion(&conversion, INT32_MAX, INT32_MIN, 1, stream);
	fclose(stream);
	ck_assert_uint_eq(text_size, FORMAT_WIDTH_MAX);
	free(text);
}
END_TEST

START_TEST(test_trace)
{
	struct d_options options = {.quiet = false};
	struct d_value_type types[] = {integer(8, true), integer(8, false), integer(4, true),
		integer(4, false), integer(2, true), integer(2, false), integer(1, true),
		integer(1, false), {D_VALUE_STRING, false, false, 256}};
	struct d_text hello = string("hello");

	open_stream();
	for (unsigned i = 0; i < 8; i++) {
		format_trace(&types[i], &options, UINT64_MAX, stream);
		putc('\n', stream);
	}
	format_trace(&types[8], &options, value_of_text(&hello), stream);
	putc('\n', stream);
	options.quiet = true;
	for (unsigned i = 0; i < 8; i++) {
		format_trace(&types[i], &options, UINT64_MAX, stream);
		putc(' ', stream);
	}
	format_trace(&types[8], &options, value_of_text(&hello), stream);
	ck_assert_printed("                  -1\n"
			  " 18446744073709551615\n"
			  "         -1\n"
			  " 4294967295\n"
			  "    -1\n"
			  " 65535\n"
			  "  -1\n"
			  " 255\n"
			  "  hello                            \n"
			  "-1 18446744073709551615 -1 4294967295 -1 65535 -1 255 hello");
}
END_TEST

START_TEST(test_trace_rawbytes)
{
	struct d_options options = {.quiet = true, .rawbytes = true};
	struct d_value_type type = {D_VALUE_STRING, false, false, 256};
	struct d_text hello = string("hello, raw world");

	open_stream();
	format_trace(&type, &options, value_of_text(&hello), stream);
	ck_assert_printed(
		"\n"
		"             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"
		"         0: 68 65 6c 6c 6f 2c 20 72 61 77 20 77 6f 72 6c 64  hello, raw world\n"
		"        10: 00                                               .\n");
}
END_TEST

/* Keys of 1 and 2 bytes print unsigned, those of 4 and 8 signed. */
START_TEST(test_keys)
{
	struct d_value_type types[] = {integer(1, true), integer(2, true), integer(4, false),
		integer(8, false), {D_VALUE_STRING, false, false, 256}};
	struct d_text key = string("key");

	open_stream();
	for (unsigned i = 0; i < 4; i++) {
		format_key(&types[i], UINT64_MAX - 1, stream);
		putc('|', stream);
	}
	format_key(&types[4], value_of_text(&key), stream);
	ck_assert_printed(" 254| 65534|       -2|               -2|"
			  "  key                                               ");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("engine format");
	TCase *tests = tcase_create("format");
	SRunner *runner;
	int failed;

	tcase_add_test(tests, test_integers);
	tcase_add_test(tests, test_strings);
	tcase_add_test(tests, test_width_is_bounded);
	tcase_add_test(tests, test_trace);
	tcase_add_test(tests, test_trace_rawbytes);
	tcase_add_test(tests, test_keys);
	suite_add_tcase(suite, tests);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
