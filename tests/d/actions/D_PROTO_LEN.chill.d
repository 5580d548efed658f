/* @options -x errtags
 * @status 1
 */
BEGIN
{
	chill(); /* the arguments come first: D_PROTO_LEN */
}
