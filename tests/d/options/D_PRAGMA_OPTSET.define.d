/* @options -x errtags
 * @status 1
 */
/* D_PRAGMA_OPTSET: only allowed on the command line */
#pragma D option define=X
BEGIN { }
