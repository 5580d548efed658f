/*
 * Providers that say nothing are Unstable.
 * @options -e -v -Z
 */
nosuch1:::probe
{
	trace(pid);
}
