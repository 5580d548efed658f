/*
 * The words that the traced program was started with; BEGIN's are vmtap's own.
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
