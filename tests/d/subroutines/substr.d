/* substr: a negative start counts from the end, a negative count leaves out the end. */
#pragma D option quiet

BEGIN
{
	printf("[%s] [%s] [%s]\n", substr("abcdef", 2), substr("abcdef", 2, 2),
	    substr("abcdef", 2, 99));
	printf("[%s] [%s] [%s]\n", substr("abcdef", -2), substr("abcdef", -2, 1),
	    substr("abcdef", -7, 3));
	printf("[%s] [%s] [%s]\n", substr("abcdef", 1, -1), substr("abcdef", 4, -3),
	    substr("abcdef", -8, -1));
	printf("[%s] [%s] [%s]\n", substr("abcdef", 6), substr("abcdef", 99), substr("", 0));
	printf("[%s] [%s]\n", substr("abcdef", -99), substr("abcdef", 3, 0));
	exit(0);
}
