/* @options -x errtags
 * @status 1
 */
BEGIN
{
	x = 1 + commit(1); /* D_OP_INCOMPAT: an action has no value */
}
