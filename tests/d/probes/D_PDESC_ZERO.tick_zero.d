/* @options -x errtags
 * @status 1
 */
BEGIN
{
	exit(0);
}

/* no rate is 0 */
tick-0 /* D_PDESC_ZERO */
{
}
