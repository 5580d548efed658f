/*
 * @options -q
 */
#pragma D depends_on provider dtrace
#pragma D depends_on provider profile
#pragma ident "not D's"
#ident "nor this"
#pragma weak something
#

BEGIN
{
	printf("there\n");
	exit(0);
}
