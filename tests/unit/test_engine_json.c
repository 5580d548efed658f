/*
 * test_engine_json.c: finding values of a JSON text by their paths, and texts that are not JSON.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/subroutine/json.h"
#include "unit_main.h"

static struct json_text text(const char *bytes)
{
	return (struct json_text){bytes, (uint32_t)strlen(bytes)};
}

/* A block of the text's length, without its NUL: AddressSanitizer detects a byte read beyond it. */
static char *block(const char *bytes)
{
	size_t length = strlen(bytes);

	return memcpy(malloc(length), bytes, length);
}

static void check(const char *document, const char *path, const char *expected)
{
	char *bytes = block(document), *parts = block(path);
	struct json_text value;
	bool found = json_find((struct json_text){bytes, (uint32_t)strlen(document)},
		(struct json_text){parts, (uint32_t)strlen(path)}, &value);

	ck_assert_msg(found == (expected != NULL), "%s of %s", path, document);
	if (expected)
		ck_assert_msg(value.length == strlen(expected) &&
				!memcmp(value.bytes, expected, value.length),
			"%s of %s: %.*s", path, document, (int)value.length, value.bytes);
	free(bytes);
	free(parts);
}

START_TEST(test_found)
{
	check("{\"a\":1}", "a", "1");
	check(" { \"a\" : { \"b\" : [ 0 , { \"c\" : \"x y\" } ] } } ", "a.b[1].c", "x y");
	check("[[[]],[{}]]", "[0][0]", "[]");
	check("[[[]],[{}]]", "[1]", "[{}]");
	check("{\"a\":\"\\\"\\\\\"}", "a", "\\\"\\\\");
	check("{\"a\":false,\"b\":null,\"a\":true}", "a", "false");
	check("{\"\":{\"a\":-0.5e-1}}", "a", NULL);
	check("{\"a\":-0.5e-1}", "a", "-0.5e-1");
	check("{\"a\":[ 1, 2 ]}", "a", "[ 1, 2 ]");
}
END_TEST

/* The text after the value is not looked at. */
START_TEST(test_no_further_than_needed)
{
	check("{\"a\":1 nonsense", "a", "1");
	check("[1,2", "[0]", "1");
}
END_TEST

START_TEST(test_not_found)
{
	static const char *const bad[] = {"", " ", "{", "{\"a\"", "{\"a\":", "{\"a\":}", "{a:1}",
		"{\"a\":tru}", "{\"a\":-}", "{\"a\":1.}", "{\"a\":1e}", "{\"a\":\"x}",
		"{\"a\":\"\\\"}", "{\"a\":[1,}", "{\"a\":{\"b\"}}", "{\"b\":[}],\"a\":1}", "1",
		"\"a\"", "null", "[]", "{}"};

	for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		check(bad[i], "a", NULL);
	check("{\"a\":1}", "", NULL);
	check("{\"a\":1}", ".a", NULL);
	check("{\"a\":1}", "a.", NULL);
	check("{\"a\":1}", "[a]", NULL);
	check("[1]", "[1]", NULL);
	check("[1]", "[", NULL);
	check("[1]", "[0", NULL);
	check("[1]", "[0]x", NULL);
	check("[1]", "[99999999999]", NULL);
	check("{\"a\":[1]}", "a.b", NULL);
	check("{\"a\":{}}", "a[0]", NULL);
}
END_TEST

/* Depth has a limit, which is not the stack. */
START_TEST(test_deep)
{
	char document[4 * JSON_DEPTH_MAX];
	struct json_text value;
	size_t depth = JSON_DEPTH_MAX;

	memset(document, '[', depth);
	document[depth] = '1';
	memset(document + depth + 1, ']', depth);
	ck_assert(json_find(
		(struct json_text){document, (uint32_t)(2 * depth + 1)}, text("[0]"), &value));
	memset(document, '[', depth + 2);
	document[depth + 2] = '1';
	memset(document + depth + 3, ']', depth + 2);
	ck_assert(!json_find(
		(struct json_text){document, (uint32_t)(2 * depth + 5)}, text("[0]"), &value));
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_test(tests, test_found);
	tcase_add_test(tests, test_no_further_than_needed);
	tcase_add_test(tests, test_not_found);
	tcase_add_test(tests, test_deep);
}
