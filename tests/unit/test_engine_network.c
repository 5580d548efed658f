/*
 * test_engine_network.c: network addresses as text; IPv6 compared with the C library's form.
 */
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "engine/subroutine/network.h"
#include "unit_main.h"

static char text[NETWORK_TEXT_MAX];

START_TEST(test_ipv4)
{
	static const uint8_t bytes[] = {192, 168, 0, 255};

	network_ipv4(bytes, text);
	ck_assert_str_eq(text, "192.168.0.255");
}
END_TEST

/* Whichever bytes are zero, the text equals the C library's. */
START_TEST(test_ipv6_as_c_library)
{
	char expected[INET6_ADDRSTRLEN];
	uint8_t bytes[NETWORK_IPV6_BYTES];

	for (unsigned mask = 0; mask < 256; mask++) {
		for (unsigned i = 0; i < sizeof(bytes); i++)
			bytes[i] = mask & 1u << i / 2 ? (uint8_t)(0x0a + i * 16) : 0;
		network_ipv6(bytes, NETWORK_EMBEDDED_MIXED, text);
		ck_assert_ptr_nonnull(inet_ntop(AF_INET6, bytes, expected, sizeof(expected)));
		ck_assert_str_eq(text, expected);
	}
}
END_TEST

static void check_embedded(const char *address, const char *mixed, const char *alone)
{
	uint8_t bytes[NETWORK_IPV6_BYTES];

	ck_assert_int_eq(inet_pton(AF_INET6, address, bytes), 1);
	network_ipv6(bytes, NETWORK_EMBEDDED_MIXED, text);
	ck_assert_str_eq(text, mixed);
	network_ipv6(bytes, NETWORK_EMBEDDED_ALONE, text);
	ck_assert_str_eq(text, alone);
}

START_TEST(test_embedded)
{
	check_embedded("::ffff:1.2.3.4", "::ffff:1.2.3.4", "1.2.3.4");
	check_embedded("::1.2.3.4", "::1.2.3.4", "1.2.3.4");
	check_embedded("::127.0.0.1", "::127.0.0.1", "127.0.0.1");
	check_embedded("::", "::", "::");
	check_embedded("::1", "::1", "::1");
	check_embedded("fe80::1", "fe80::1", "fe80::1");
	check_embedded("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8");
	check_embedded("1::", "1::", "1::");
}
END_TEST

START_TEST(test_link)
{
	uint8_t bytes[NETWORK_INFINIBAND_BYTES];

	for (unsigned i = 0; i < sizeof(bytes); i++)
		bytes[i] = (uint8_t)(0xf0 + i);
	network_link(bytes, NETWORK_ETHERNET_BYTES, text);
	ck_assert_str_eq(text, "f0:f1:f2:f3:f4:f5");
	network_link(bytes, NETWORK_INFINIBAND_BYTES, text);
	ck_assert_uint_eq(strlen(text), NETWORK_TEXT_MAX - 1);
}
END_TEST

void unit_tests(TCase *tests)
{
	tcase_add_test(tests, test_ipv4);
	tcase_add_test(tests, test_ipv6_as_c_library);
	tcase_add_test(tests, test_embedded);
	tcase_add_test(tests, test_link);
}
