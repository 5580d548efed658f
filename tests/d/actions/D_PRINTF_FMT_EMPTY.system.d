/* @options -x errtags
 * @status 1
 */
BEGIN
{
	system(""); /* D_PRINTF_FMT_EMPTY */
}
