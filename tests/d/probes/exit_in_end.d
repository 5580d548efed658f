/* @status 7 */
/* END's exit() overrides; all of END's clauses run. */
#pragma D option quiet

BEGIN
{
	exit(1);
}

END
{
	exit(7);
	printf("end\n");
}

END
{
	printf("end again\n");
}
