/* @options -x errtags
 * @status 1
 */
BEGIN
{
	system(1); /* D_PRINTF_ARG_FMT */
}
