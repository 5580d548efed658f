/* @options -x errtags
 * @status 1
 */
/* the description comes before the body: D_PDESC_ZERO */
nosuch
{
	trace(nosuch);
}
