/* Destructive actions need -w. No tag: it is found at enabling.
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
