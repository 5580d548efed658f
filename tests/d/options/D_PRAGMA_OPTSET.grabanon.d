/* @options -x errtags
 * @status 1
 */
/* there is nothing to grab: D_PRAGMA_OPTSET */
#pragma D option grabanon
BEGIN { }
