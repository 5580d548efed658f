/*
 * Option flowindent: the last clause that records on a return leaves, whether the ones behind
 * it have predicates or not; what a fault or an exit() ends is last too.
 */
#pragma D option flowindent

int zero;

vm*:::method-entry
{
}

vm*:::method-return
{
	trace("a");
	calls++;
}

vm*:::method-return
/calls == 2/
{
	trace("b");
}

vm*:::method-return
/calls == 3/
{
	trace(1 / zero);
}

vm*:::method-return
/calls == 4/
{
	trace("c");
	exit(0);
}

ERROR
{
	trace(arg4);
}
