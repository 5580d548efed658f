/* @options -x errtags
 * @status 1
 */
/* no such unit: D_PDESC_ZERO */
tick-5fortnight
{
}
