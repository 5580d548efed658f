/* @options -x errtags
 * @status 1
 */
BEGIN
{
	commit(1);
	@ = count(); /* D_AGG_COMM */
}
