/* @options -x errtags
 * @status 1
 */
BEGIN
{
	freopen("."); /* D_FREOPEN_INVALID */
}
