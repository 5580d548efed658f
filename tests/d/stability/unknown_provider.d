/*
 * Providers that declare no stability are Unstable.
 * @options -e -v -Z
 */
nosuch1:::probe
{
	trace(pid);
}
