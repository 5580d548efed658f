/*
 * args[] only has types if all probes that the description matches have the same types.
 * @status 1
 * @options -x errtags
 */
vm$target:::gc-mark-begin, vm$target:::method-entry
{
	trace(arg0);
}

vm$target:::gc-*
{
	trace(args[0]);
}
