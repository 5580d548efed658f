/* @options -x errtags
 * @status 1
 */
BEGIN
{
	@ = count();
	speculate(1); /* D_SPEC_DREC */
}
