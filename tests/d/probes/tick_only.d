/* Ticks need no target. */
#pragma D option quiet

tick-1000
{
	printf("%d\n", ++n);
}

tick-1000
/n == 3/
{
	exit(0);
}
