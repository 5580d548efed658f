/* %c of any integer of at most 4 bytes, %lc and %wc of wide ones as UTF-8, %hhd of a char. */
#pragma D option quiet

BEGIN
{
	printf("%c%c%c|%3c|%-3c|\n", 'D', (short)'o', (char)'t', 'x', 'y');
	printf("%C %C %C %C\n", '\n', '"', 7, 'a');
	printf("%lc%wc|%3wc|%-3lc|\n", 0xe9, 0x20ac, 0x20ac, 0xe9);
	printf("%hhd %hhu %hhx %hd %hu %hx\n", (char)200, (unsigned char)200, (char)200,
	    (short)40000, (unsigned short)40000, (short)-1);
	exit(0);
}
