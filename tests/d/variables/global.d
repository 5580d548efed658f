/* Globals start as zero */
#pragma D option quiet

BEGIN
{
	printf("%d\n", x++);
	printf("%d\n", x);
	exit(0);
}
