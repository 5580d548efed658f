/* @options -x errtags
 * @status 1
 */
/* the description is checked before the body: D_PDESC_ZERO */
nosuch
{
	trace(nosuch);
}
