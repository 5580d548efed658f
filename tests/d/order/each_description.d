/*
 * A clause with two probes is checked once for each: args[] may be valid for one and not for
 * the other.
 * @status 1
 * @options -x errtags
 */
vm$target:::gc-start,
vm$target:::gc-idle
{
	printf("%d", args[3]);
}
