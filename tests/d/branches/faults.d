/*
 * A fault in a condition or a branch ends what follows in its clause, not what came before;
 * the clauses of ERROR may branch too.
 */
#pragma D option quiet

int nothing;

BEGIN
{
	printf("before\n");
	if (*(int *)0) {
		printf("never\n");
	}
	printf("never\n");
}

BEGIN
{
	if (1) {
		printf("%d\n", 1 / nothing);
	} else {
		printf("never\n");
	}
	printf("never\n");
}

ERROR
{
	if (arg4 == 1) {
		printf("address\n");
	} else if (arg4 == 4) {
		printf("division\n");
	}
	printf("handled\n");
}

BEGIN
{
	exit(0);
}
