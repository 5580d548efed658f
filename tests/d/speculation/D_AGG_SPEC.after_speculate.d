/* @options -x errtags
 * @status 1
 */
BEGIN
{
	speculate(1);
	@ = count(); /* D_AGG_SPEC */
}
