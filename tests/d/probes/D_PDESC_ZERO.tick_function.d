/* @options -x errtags
 * @status 1
 */
/* only created without module and function: D_PDESC_ZERO */
profile::f:tick-7
{
}
