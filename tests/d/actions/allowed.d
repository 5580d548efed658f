/* Messages at the start: what each script matches, then that destructive actions are allowed.
 * @options -n 'BEGIN' -n 'tick-1ms,END'
 */
#pragma D option destructive

BEGIN
{
	exit(0);
}
