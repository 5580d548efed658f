/* @options -x errtags
 * @status 1
 */
BEGIN
{
	freopen("", 1); /* D_PRINTF_ARG_EXTRA */
}
