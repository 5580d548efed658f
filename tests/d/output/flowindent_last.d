/*
 * Option flowindent: on a return, the last clause that records something ends the indentation,
 * whether or not later ones have predicates; so does a clause that a fault or exit() ends.
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
