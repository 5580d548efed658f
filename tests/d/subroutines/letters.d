/* toupper, tolower: ASCII only. */
#pragma D option quiet

BEGIN
{
	printf("[%s] [%s] [%s]\n", toupper("az{`AZ 1\351"), tolower("AZ[@az 1\311"),
	    toupper(""));
	exit(0);
}
