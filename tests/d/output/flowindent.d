/*
 * Option flowindent: entries indent what follows them, returns end that. Of several clauses
 * on a probe the first enters and the last leaves; the others and other probes get a bar.
 */
#pragma D option flowindent

vm*:::method-entry
{
}

vm*:::method-entry
{
	trace("again");
}

vm*:::gc-start
{
	trace(arg1);
}

vm*:::method-return
{
	trace("before");
}

vm*:::method-return
{
	trace("last");
}
