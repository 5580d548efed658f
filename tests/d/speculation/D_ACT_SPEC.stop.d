/* @options -x errtags
 * @status 1
 */
BEGIN
{
	speculate(1);
	stop(); /* the order is checked first: D_ACT_SPEC */
}
