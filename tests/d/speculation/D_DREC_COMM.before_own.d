/* @options -x errtags
 * @status 1
 */
BEGIN
{
	commit(1);
	printf(""); /* the order is checked before the format: D_DREC_COMM */
}
