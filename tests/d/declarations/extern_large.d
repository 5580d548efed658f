/* The limit on the size of an array is for variables; extern declares what need not exist. */
#pragma D option quiet
extern int big[44250000], many[100000][1000];
int small[3];
BEGIN
{
	small[2] = sizeof(small);
	printf("%d\n", small[2]);
	exit(0);
}
