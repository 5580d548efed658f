/*
 * The words with which the traced program was started; in BEGIN those of vmtap itself.
 * @options -q
 */
BEGIN
{
	printf("%d\n", strstr(execargs, "trace") != NULL);
}

vm*:::
/!done/
{
	done = 1;
	printf("%s, %s\n", execargs, curpsinfo->pr_psargs);
	exit(0);
}
