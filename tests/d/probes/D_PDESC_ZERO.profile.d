/* @options --via=stream -x errtags
 * @status 1
 */
/* fires on every CPU, which only the kernel can: D_PDESC_ZERO */
profile-97
{
}
