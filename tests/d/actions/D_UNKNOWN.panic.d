/* @options -x errtags
 * @status 1
 */
BEGIN
{
	panic(); /* D_UNKNOWN */
}
