/* clear() and trunc() act in the order of the records: later clauses and firings start from zero,
 * under the same keys. */
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
