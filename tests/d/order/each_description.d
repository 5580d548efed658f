/*
 * A clause of two probes is checked once for each: args[] of one may be good, of the other
 * not.
 * @status 1
 * @options -x errtags
 */
vm$target:::gc-start,
vm$target:::gc-idle
{
	printf("%d", args[3]);
}
