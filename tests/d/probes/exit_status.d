/* @status 44 */
/* exit() in BEGIN: the clause goes on, END runs, the last status counts, in 8 bits. */
#pragma D option quiet

BEGIN
{
	exit(1);
	exit(300);
	printf("still here\n");
}

BEGIN
{
	printf("never\n");
}

END
{
	printf("end\n");
}

END
{
	printf("end again\n");
}
