/*
 * The process that the event is from.
 * @options -q
 */
vm*:::
/!done/
{
	done = 1;
	printf("%s %s %d\n", curpsinfo->pr_fname, execname, curpsinfo->pr_pid == pid);
	exit(0);
}
