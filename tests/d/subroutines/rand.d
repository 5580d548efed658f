/* rand: an int that is never negative; a recording always brings the same ones. */
#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", rand() % 1000, rand() % 1000, rand() % 1000);
	printf("%d %d\n", rand() >= 0, sizeof(rand()));
	exit(0);
}
