/* A width may be given twice, the last one counts; * overrides both. */
#pragma D option quiet

BEGIN
{
	printf("[%9-4d] [%2*d] [%9.1-4s]\n", 7, 5, 8, "xyz");
	exit(0);
}
