/* sizeof of types and expressions; no promotion to int */
#pragma D option quiet

BEGIN
{
	printf("%d\n", sizeof (char));
	printf("%d\n", sizeof (int));
	printf("%d\n", sizeof (long));
	printf("%d\n", sizeof (uint16_t));
	printf("%d\n", sizeof ("abc"));
	printf("%d\n", sizeof (1L));
	printf("%d\n", sizeof (1));
	printf("%d\n", sizeof (string));
	exit(0);
}
