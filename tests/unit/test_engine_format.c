/*
 * test_engine_format.c: printf's conversions, the forms of trace() and of keys, each
 * compared with the text that DTrace prints.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/output/format.h"
#include "engine/store/value.h"
#include "unit_main.h"

static char *text;
static size_t text_size;
static FILE *stream;
static struct d_options options;
static struct places places;
static struct format_context context = {.options = &options, .places = &places};

static void open_stream(void)
{
	stream = open_memstream(&text, &text_size);
	ck_assert_ptr_nonnull(stream);
	context.output = stream;
}

#define ck_assert_printed(expected)                                                                \
	do {                                                                                       \
		fclose(stream);                                                                    \
		ck_assert_str_eq(text, expected);                                                  \
		free(text);                                                                        \
	} while (0)

static struct d_value_type integer(unsigned size, bool is_signed)
{
	return (struct d_value_type){.kind = D_VALUE_INTEGER, .is_signed = is_signed, .size = size};
}

static struct text string(const char *bytes)
{
	return (struct text){bytes, (uint32_t)strlen(bytes), 0};
}

START_TEST(test_integers)
{
	struct d_conversion conversion = {
		.present = true, .kind = D_CONVERT_SIGNED, .letter = 'd', .type = integer(4, true)};

	open_stream();
	format_conversion(&context, &conversion, 0, 0, UINT64_C(0xffffffff80000000));
	putc('|', stream);
	format_conversion(&context, &conversion, 6, 0, 42);
	putc('|', stream);
	format_conversion(&context, &conversion, 6, 4, 42);
	putc('|', stream);
	format_conversion(&context, &conversion, -6, 0, 42);
	putc('|', stream);
	conversion.minus = true;
	format_conversion(&context, &conversion, 6, 0, 42);
	putc('|', stream);
	conversion.minus = false;
	conversion.zero = conversion.plus = true;
	format_conversion(&context, &conversion, 6, 0, 42);
	putc('|', stream);
	conversion = (struct d_conversion){
		.kind = D_CONVERT_UNSIGNED, .letter = 'd', .type = integer(2, true)};
	format_conversion(&context, &conversion, 0, 0, UINT64_MAX);
	putc('|', stream);
	conversion.letter = 'x';
	conversion.alternate = true;
	conversion.type.size = 4;
	format_conversion(&context, &conversion, 0, 0, UINT64_MAX);
	putc('|', stream);
	conversion.letter = 'X';
	conversion.type.size = 1;
	format_conversion(&context, &conversion, 0, 0, UINT64_MAX);
	putc('|', stream);
	conversion = (struct d_conversion){
		.kind = D_CONVERT_UNSIGNED, .letter = 'o', .type = integer(8, false)};
	format_conversion(&context, &conversion, 0, 0, 8);
	putc('|', stream);
	conversion.kind = D_CONVERT_POINTER;
	conversion.letter = 'p';
	format_conversion(&context, &conversion, 0, 0, UINT64_MAX);
	ck_assert_printed("-2147483648|    42|  0042|42    |42    |+00042|65535|0xffffffff|0XFF|10|"
			  "ffffffffffffffff");
}
END_TEST

START_TEST(test_strings)
{
	struct d_conversion conversion = {.kind = D_CONVERT_STRING,
		.letter = 's',
		.type = {.kind = D_VALUE_STRING, .size = 256}};
	struct text plain = string("hello"), odd = string("a\tb\"\x01");

	open_stream();
	format_conversion(&context, &conversion, 0, 0, value_of_text(&plain));
	putc('|', stream);
	format_conversion(&context, &conversion, 8, 2, value_of_text(&plain));
	putc('|', stream);
	format_conversion(&context, &conversion, 0, 0, value_of_text(&plain));
	putc('|', stream);
	conversion.minus = true;
	format_conversion(&context, &conversion, 8, 0, value_of_text(&plain));
	putc('|', stream);
	conversion.letter = 'S';
	format_conversion(&context, &conversion, 14, 0, value_of_text(&odd));
	putc('|', stream);
	conversion = (struct d_conversion){
		.kind = D_CONVERT_CHARACTER, .letter = 'c', .type = integer(1, true)};
	format_conversion(&context, &conversion, 3, 0, 'x');
	putc('|', stream);
	conversion.letter = 'C';
	format_conversion(&context, &conversion, 0, 0, '\n');
	ck_assert_printed("hello|      he|hello|hello   |a\\tb\\\"\\001    |  x|\\n");
}
END_TEST

/* A width that comes from an event's data must not print without limit. */
START_TEST(test_width_is_bounded)
{
	struct d_conversion conversion = {
		.kind = D_CONVERT_SIGNED, .letter = 'd', .type = integer(8, true)};

	open_stream();
	format_conversion(&context, &conversion, INT32_MAX, INT32_MIN, 1);
	fclose(stream);
	ck_assert_uint_eq(text_size, FORMAT_WIDTH_MAX);
	free(text);
}
END_TEST

static struct text bytes(const void *memory, size_t size)
{
	return (struct text){memory, (uint32_t)size, 0};
}

START_TEST(test_floats)
{
	float narrow = 1.5f;
	double number = -2.25;
	long double wide = 1e300L;
	struct text texts[] = {bytes(&narrow, sizeof(narrow)), bytes(&number, sizeof(number)),
		bytes(&wide, sizeof(wide))};
	struct d_conversion conversion = {.kind = D_CONVERT_FLOAT, .letter = 'f'};

	open_stream();
	for (unsigned i = 0; i < 2; i++) {
		format_conversion(&context, &conversion, 0, 0, value_of_text(&texts[i]));
		putc('|', stream);
		format_conversion(&context, &conversion, 8, 2, value_of_text(&texts[i]));
		putc('|', stream);
	}
	conversion.letter = 'G';
	format_conversion(&context, &conversion, 0, 0, value_of_text(&texts[2]));
	conversion.letter = 'e';
	conversion.plus = true;
	format_conversion(&context, &conversion, -14, 3, value_of_text(&texts[0]));
	ck_assert_printed("1.500000|    1.50|-2.250000|   -2.25|1E+300+1.500e+00    ");
}
END_TEST

/* Characters of 4 bytes are printed as UTF-8; invalid ones are marked. */
START_TEST(test_wide)
{
	static const uint32_t word[] = {'a', 0xe9, 0x20ac, 0x1f600, 0, 'x'};
	struct text text_of_word = bytes(word, sizeof(word));
	struct d_conversion conversion = {.kind = D_CONVERT_WIDE,
		.letter = 's',
		.type = {.kind = D_VALUE_BYTES, .size = sizeof(word)}};

	open_stream();
	format_conversion(&context, &conversion, 6, 0, value_of_text(&text_of_word));
	putc('|', stream);
	format_conversion(&context, &conversion, -6, 5, value_of_text(&text_of_word));
	putc('|', stream);
	conversion.letter = 'c';
	conversion.type = integer(4, true);
	format_conversion(&context, &conversion, 2, 0, 0x20ac);
	format_conversion(&context, &conversion, 0, 0, 0xd800);
	format_conversion(&context, &conversion, 0, 0, 0x110000);
	ck_assert_printed("  a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80|a\xc3\xa9    |"
			  " \xe2\x82\xac\xef\xbf\xbd\xef\xbf\xbd");
}
END_TEST

START_TEST(test_trace)
{
	struct d_value_type types[] = {integer(8, true), integer(8, false), integer(4, true),
		integer(4, false), integer(2, true), integer(2, false), integer(1, true),
		integer(1, false), {.kind = D_VALUE_STRING, .size = 256}};
	struct text hello = string("hello");

	open_stream();
	for (unsigned i = 0; i < 8; i++) {
		format_trace(&context, &types[i], UINT64_MAX);
		putc('\n', stream);
	}
	format_trace(&context, &types[8], value_of_text(&hello));
	putc('\n', stream);
	options.quiet = true;
	for (unsigned i = 0; i < 8; i++) {
		format_trace(&context, &types[i], UINT64_MAX);
		putc(' ', stream);
	}
	format_trace(&context, &types[8], value_of_text(&hello));
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
	struct d_value_type type = {.kind = D_VALUE_STRING, .size = 256};
	struct text hello = string("hello, raw world");

	options = (struct d_options){.quiet = true, .rawbytes = true, .strsize = 20};
	open_stream();
	format_trace(&context, &type, value_of_text(&hello));
	ck_assert_printed(
		"\n"
		"             0  1  2  3  4  5  6  7  8  9  a  b  c  d  e  f  0123456789abcdef\n"
		"         0: 68 65 6c 6c 6f 2c 20 72 61 77 20 77 6f 72 6c 64  hello, raw world\n"
		"        10: 00 00 00 00 00                                   .....\n");
}
END_TEST

/* Keys of 1 and 2 bytes print unsigned, those of 4 and 8 signed. */
START_TEST(test_keys)
{
	struct d_value_type types[] = {integer(1, true), integer(2, true), integer(4, false),
		integer(8, false), {.kind = D_VALUE_STRING, .size = 256}};
	struct text key = string("key");

	open_stream();
	for (unsigned i = 0; i < 4; i++) {
		format_key(&context, &types[i], UINT64_MAX - 1);
		putc('|', stream);
	}
	format_key(&context, &types[4], value_of_text(&key));
	ck_assert_printed(" 254| 65534|       -2|               -2|"
			  "  key                                               ");
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_test(tests, test_integers);
	tcase_add_test(tests, test_strings);
	tcase_add_test(tests, test_width_is_bounded);
	tcase_add_test(tests, test_floats);
	tcase_add_test(tests, test_wide);
	tcase_add_test(tests, test_trace);
	tcase_add_test(tests, test_trace_rawbytes);
	tcase_add_test(tests, test_keys);
}
