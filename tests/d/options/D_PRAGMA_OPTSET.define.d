/* @options -x errtags
 * @status 1
 */
/* D_PRAGMA_OPTSET: for the command line only */
#pragma D option define=X
BEGIN { }
