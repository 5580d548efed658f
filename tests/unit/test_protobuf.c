/* test_protobuf.c: fields have the bytes that the encoding's specification states. */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/protobuf.h"
#include "unit_main.h"

static void expect(struct byte_buffer *buffer, const char *bytes, size_t length)
{
	ck_assert(!buffer->has_failed);
	ck_assert_uint_eq(buffer->length, length);
	ck_assert_mem_eq(buffer->bytes, bytes, length);
	buffer->length = 0;
}

START_TEST(fields)
{
	struct byte_buffer buffer = {0}, message = {0};

	protobuf_add_number(&buffer, 1, 150);
	expect(&buffer, "\x08\x96\x01", 3);
	protobuf_add_number(&buffer, 1, 0);
	expect(&buffer, "\x08\x00", 2);
	protobuf_add_number(&buffer, 16, UINT64_MAX);
	expect(&buffer, "\x80\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 12);
	protobuf_add_fixed64(&buffer, 47, UINT64_C(0x0102030405060708));
	expect(&buffer, "\xf9\x02\x08\x07\x06\x05\x04\x03\x02\x01", 10);
	protobuf_add_bytes(&buffer, 2, "testing", 7);
	expect(&buffer, "\x12\x07testing", 9);
	protobuf_add_bytes(&buffer, 2, NULL, 0);
	expect(&buffer, "\x12\x00", 2);
	protobuf_add_number(&message, 1, 150);
	protobuf_add_message(&buffer, 3, &message);
	ck_assert_uint_eq(message.length, 0);
	expect(&buffer, "\x1a\x03\x08\x96\x01", 5);
	protobuf_add_element(&message, 3);
	protobuf_add_element(&message, 270);
	protobuf_add_element(&message, 86942);
	protobuf_add_message(&buffer, 6, &message);
	expect(&buffer, "\x32\x06\x03\x8e\x02\x9e\xa7\x05", 8);
	byte_buffer_free(&buffer);
	byte_buffer_free(&message);
}
END_TEST

START_TEST(failures)
{
	struct byte_buffer buffer = {0}, message = {0};

	ck_assert_int_eq(byte_buffer_add(&buffer, "abc", 3), 0);
	ck_assert_int_eq(byte_buffer_room(&buffer, SIZE_MAX - 8), -ENOMEM);
	ck_assert(buffer.has_failed);
	ck_assert_uint_eq(buffer.length, 3);
	ck_assert_mem_eq(buffer.bytes, "abc", 3);
	byte_buffer_free(&buffer);
	ck_assert(!buffer.has_failed);
	message.has_failed = true;
	protobuf_add_message(&buffer, 1, &message);
	ck_assert(buffer.has_failed);
	byte_buffer_free(&buffer);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_test(tests, fields);
	tcase_add_test(tests, failures);
}
