/* @options -x errtags
 * @status 1
 */
/* made only without module and function: D_PDESC_ZERO */
profile::f:tick-7
{
}
