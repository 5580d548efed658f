/* Escapes in strings; unknown ones are kept */
#pragma D option quiet

BEGIN
{
	printf("a\tb\\c\"d\x41\101\n");
	printf("%s|\n", "\q");
	printf("%s|\n", "ab\0cd");
	exit(0);
}
