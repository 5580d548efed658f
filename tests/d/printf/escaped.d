/* %S and %C: unprintable characters are escaped before width and precision are applied. */
#pragma D option quiet

BEGIN
{
	printf("[%S] [%S]\n", "a\n\t\"\\\001\377", "plain");
	printf("[%10S] [%-10S] [%.3S] [%.1S]\n", "a\t", "a\t", "a\tbc", "\n");
	printf("[%C] [%C] [%5C] [%-5C] [%C] [%C]\n", '\n', 'x', 'x', '\t', 0, 127);
	exit(0);
}
