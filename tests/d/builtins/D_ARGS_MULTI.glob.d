/*
 * args[] has types when every probe that the description matches has the same.
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
