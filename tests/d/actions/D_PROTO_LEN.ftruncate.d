/* @options -x errtags
 * @status 1
 */
BEGIN
{
	ftruncate(1); /* D_PROTO_LEN */
}
