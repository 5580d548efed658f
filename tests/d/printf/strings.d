/* Strings and characters */
#pragma D option quiet

BEGIN
{
	printf("[%s] [%6s] [%-6s] [%.2s] [%6.2s]\n", "abcd", "abcd", "abcd", "abcd", "abcd");
	printf("[%c] [%3c] [%-3c]\n", 'x', 'y', (char)65);
	printf("%p %p\n", 255, (void *)4096);
	exit(0);
}
