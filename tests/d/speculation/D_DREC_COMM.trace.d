/* @options -x errtags
 * @status 1
 */
BEGIN
{
	commit(1);
	discard(1);
	trace(1); /* D_DREC_COMM */
}
