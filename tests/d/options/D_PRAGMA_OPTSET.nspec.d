/* @options -x errtags
 * @status 1
 */
/* at most 1024 */
#pragma D option nspec=1025
BEGIN { }
