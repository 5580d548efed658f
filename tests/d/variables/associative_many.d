/* More elements than any first table holds, removed again, and put back. */
#pragma D option quiet
#pragma D option dynvarsize=4m

vm$target:::heap
{
	a[arg1] = arg2;
}

vm$target:::heap
/arg1 % 2 == 0/
{
	a[arg1] = 0;
}

END
{
	printf("%d %d %d %d\n", a[1], a[2], a[1999], a[2000]);
}
