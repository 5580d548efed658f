/* @options -x errtags
 * @status 1
 */
/* nothing to grab: D_PRAGMA_OPTSET */
#pragma D option grabanon
BEGIN { }
