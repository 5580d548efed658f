/* The library has no translator of numbers. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	trace(xlate <psinfo_t> (pid).pr_pid);
}
