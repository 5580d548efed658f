/* The right side of && and || runs only if needed */
#pragma D option quiet

BEGIN
{
	n = 0;
	x = 0 && n++;
	x = 1 || n++;
	printf("%d\n", n);
	x = 1 && n++;
	x = 0 || n++;
	printf("%d\n", n);
	x = 0 ^^ n++;
	printf("%d\n", n);
	exit(0);
}
