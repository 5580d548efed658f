/* @options -x errtags
 * @status 1
 */
/* at most 16: D_PRAGMA_OPTSET */
#pragma D option nspec=17
BEGIN { }
