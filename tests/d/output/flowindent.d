/*
 * Option flowindent: an entry indents what follows, a return ends that. If a probe has several
 * clauses, the first enters and the last leaves; the others, and other probes, get a bar.
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
