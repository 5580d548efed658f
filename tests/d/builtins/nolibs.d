/*
 * Without libraries, their names can be used freely.
 * @options -q -x nolibs
 */
int SIGKILL;

BEGIN
{
	SIGKILL = 1;
	zonename = "mine";
	printf("%d %s\n", SIGKILL, zonename);
	exit(0);
}
