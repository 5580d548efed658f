/*
 * Stacks as values: variables of every kind hold them, also as keys; they are compared with each
 * other and with NULL, and printed by every action that prints. A variable that is not set has no
 * frames. A stack is not cut at strsize.
 */
#pragma D option quiet
#pragma D option strsize=8
#pragma D option stackindent=2

method-entry
{
	global = jstack();
	self->at = jstack(2);
	this->at = jstack(1);
	of[copyinstr(arg1)] = jstack();
	self->of[copyinstr(arg1)] = jstack(1);
	calls[this->at]++;
}

gc-start
{
	printf("global%kself%-4kthis%k", global, self->at, this->at);
	printf("element");
	trace(of["b"]);
	printf("element of the thread");
	print(self->of["b"]);
	printf("calls %d %d\n", calls[self->of["a"]], calls[self->of["b"]]);
	printf("equal %d %d %d\n", global == jstack(), global == jstack(2), jstack() == of["b"]);
	printf("not equal %d %d %d\n", global != jstack(), global != jstack(2), of["a"] != of["b"]);
	printf("not set %d %d %d %d\n", of["c"] == NULL, of["c"] == of["d"], of["c"] == global,
	    0 != self->of["c"]);
	trace(of["c"]);
	printf("<%k>\n", self->of["c"]);
	@[self->at] = count();
	@two["global", global] = count();
}

gc-start
{
	old = global;
	global = 0;
	self->at = 0;
	this->at = NULL;
	of["b"] = NULL;
	printf("freed %d %d %d %d %d\n", global == NULL, self->at == NULL, this->at == NULL,
	    of["b"] == NULL, of["a"] == NULL);
	this->at = arg0 ? of["a"] : global;
	printf("chosen %d", this->at == of["a"]);
	this->at = arg0 ? NULL : of["a"];
	printf(" %d\n", this->at == NULL);
	@none[global] = count();
	@none[of["b"]] = count();
	global = self->at = old;
	printf("back %d %d\n", global == old, self->at == old);
}

/* Not set for another thread. */
gc-start
/self->at != NULL/
{
	record = speculation();
	speculate(record);
	printf("speculated%k", self->at);
	trace(old);
	self->at = 0;
}

gc-done
{
	commit(record);
}
