/*
 * With several descriptions, each of them runs all parts.
 */
#pragma D option quiet

BEGIN,
dtrace:::BEGIN
{
	if (n++ == 0)
		printf("first\n");
	else
		printf("again\n");
}

BEGIN
{
	exit(0);
}
