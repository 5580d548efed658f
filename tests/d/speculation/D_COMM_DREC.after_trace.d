/* @options -x errtags
 * @status 1
 */
BEGIN
{
	trace(1);
	commit(1); /* D_COMM_DREC */
}
