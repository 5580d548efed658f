/* Character constants, the last character least significant */
#pragma D option quiet

BEGIN
{
	printf("%d\n", 'a');
	printf("%d\n", '\n');
	printf("%d\n", 'ab');
	printf("%d\n", '\0');
	printf("%d\n", '\x41');
	printf("%d\n", '\101');
	printf("%d\n", '\xff');
	printf("%d\n", '"');
	exit(0);
}
