/* @options -x errtags
 * @status 1
 */
BEGIN
{
	arg0 ? exit(1) : exit(2); /* D_OP_ACT */
}
