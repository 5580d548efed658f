/* trunc(@, n) keeps the n largest, with a negative n the smallest. */
#pragma D option quiet

BEGIN
{
	@[1] = sum(30);
	@[2] = sum(10);
	@[3] = sum(-20);
	@[4] = sum(40);
	trunc(@, 3);
	printa("%d %@d\n", @);
	trunc(@, -2);
	printf("--\n");
	printa("%d %@d\n", @);
	trunc(@, 0);
	printf("--\n");
	printa("%d %@d\n", @);
	exit(0);
}
