/*
 * A literal's type is the first that can hold it: decimal ones are signed, octal and
 * hexadecimal ones may be unsigned, suffixes say more. A minus sign is an operator.
 * @options -q
 */
BEGIN
{
	printf("%d %d %d %d\n", sizeof(2147483647), sizeof(2147483648), sizeof(1L), sizeof(1LL));
	printf("%d %d %d\n", sizeof(0x7fffffff), sizeof(0xffffffff), sizeof(0x100000000));
	printf("%d %d %d\n", sizeof(037777777777), sizeof(1u), sizeof(4294967296u));
	printf("%d %d %d\n", sizeof(-2147483648), sizeof(1uLL), sizeof(1Ull));
	/* unsigned ones make comparisons unsigned */
	printf("%d %d %d\n", -1 < 0xffffffff, -1 < 2147483648, -1 < 1u);
	printf("%d\n", -1 < 0xffffffffffffffff);
	printf("%d %u\n", 9223372036854775807, 18446744073709551615u);
	printf("%x %o %d\n", 0XaBcDeF, 0777, 00);
	/* characters: int, or long when int is too small */
	printf("%d %d %d %d\n", sizeof('a'), sizeof('abcd'), sizeof('abcde'), sizeof('\377abc'));
	printf("%x %x %d\n", 'ab', '12345678', '\xff');
	printf("%d %d %d\n", '\'', '\\', '\"');
	exit(0);
}
