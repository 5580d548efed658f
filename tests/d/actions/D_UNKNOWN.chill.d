/* @options -x errtags
 * @status 1
 */
BEGIN
{
	chill(1); /* D_UNKNOWN */
}
