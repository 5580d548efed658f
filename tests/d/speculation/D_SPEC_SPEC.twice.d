/* @options -x errtags
 * @status 1
 */
BEGIN
{
	speculate(1);
	speculate(1); /* D_SPEC_SPEC */
}
