/*
 * A name that was assigned as a variable is a variable for the rest of the script, whatever
 * follows it; the = may be on the next line.
 * @options -q
 */
BEGIN
{
	pid_t
		= 3;
	printf("%d %d\n", pid_t, pid_t == 3);
	size_t++;
	printf("%d %d\n", (size_t), size_t + 1);
}

BEGIN
/ pid_t /
{
	printf("%d\n", pid_t * 2);
	exit(0);
}
