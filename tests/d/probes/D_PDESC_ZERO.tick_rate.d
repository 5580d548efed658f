/* @options -x errtags
 * @status 1
 */
/* 5000 a second is the highest rate: D_PDESC_ZERO */
tick-5001
{
}
