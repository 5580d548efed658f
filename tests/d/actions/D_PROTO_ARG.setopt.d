/* @options -x errtags
 * @status 1
 */
BEGIN
{
	setopt(1); /* D_PROTO_ARG */
}
