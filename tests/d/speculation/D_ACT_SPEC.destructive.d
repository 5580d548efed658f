/* @options -x errtags
 * @status 1
 */
BEGIN
{
	speculate(1);
	system("true"); /* D_ACT_SPEC */
}
