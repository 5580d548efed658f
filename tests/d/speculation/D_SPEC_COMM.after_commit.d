/* @options -x errtags
 * @status 1
 */
BEGIN
{
	commit(1);
	speculate(1); /* D_SPEC_COMM */
}
