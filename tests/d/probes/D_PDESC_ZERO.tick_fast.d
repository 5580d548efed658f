/* @options -x errtags
 * @status 1
 */
/* 200 us is the shortest period: D_PDESC_ZERO */
tick-199us
{
}
