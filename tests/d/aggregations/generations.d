/* clear() and trunc() act where they stand among what has been recorded: updates of later clauses
 * and firings count anew, under the same keys. */
#pragma D option quiet

vm*:::method-entry
{
	@a[copyinstr(arg0)] = count();
	@all = sum((int)arg3);
}

vm*:::gc-start
{
	printa("%s %@d\n", @a);
	printa("%@d\n", @all);
	trunc(@a);
	clear(@all);
}
