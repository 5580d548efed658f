/* @options -x errtags
 * @status 1
 */
BEGIN
{
	x = speculation(1); /* D_PROTO_LEN */
}
