/* Destructive actions need -w. The error has no tag, since it is found when tracing is enabled.
 * @options -x errtags
 * @status 1
 */
BEGIN
{
	exit(0);
}

END
{
	system("echo no");
}
