/* @options -x errtags
 * @status 1
 */
BEGIN
{
	chill(); /* the arguments are checked first: D_PROTO_LEN */
}
