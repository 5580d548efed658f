/* @options -x errtags
 * @status 1
 */
BEGIN
{
	@ = count();
	commit(1); /* D_COMM_DREC */
}
