/* rand: an int that is never negative; for a recording the numbers are always the same. */
#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", rand() % 1000, rand() % 1000, rand() % 1000);
	printf("%d %d\n", rand() >= 0, sizeof(rand()));
	exit(0);
}
