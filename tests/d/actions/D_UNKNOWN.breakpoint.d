/* @options -x errtags
 * @status 1
 */
BEGIN
{
	breakpoint(); /* D_UNKNOWN */
}
