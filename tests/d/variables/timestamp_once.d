/* timestamp is read once per clause. */
#pragma D option quiet

BEGIN
{
	t = timestamp;
	printf("%d\n", timestamp - t);
	exit(0);
}
