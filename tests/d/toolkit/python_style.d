#!/usr/sbin/dtrace -Zs
/*
 * python_style.d - clauses pass this-> on to the next one; stacks of names in self->.
 */
#pragma D option quiet

dtrace:::BEGIN { self->i = 0; }

vm*:::method-entry
{
	this->file = basename(copyinstr(arg2)); this->func = copyinstr(arg1)
}
vm*:::method-entry
/ this->func == "<module>" || this->file == "" || arg3 <= 0 /
{
	this->file = "?";
}
vm*:::method-entry
/this->file != "?" && this->file != NULL/
{
	self->stack[self->i] = strjoin(strjoin(this->file, ":"), this->func);
	printf("%*s%s (%s:%d) under %s\n", self->i * 2, "", this->func, this->file, arg3,
	    self->i > 0 ? self->stack[self->i - 1] : "-");
	self->i++;
}
vm*:::method-return
/self->i > 0/
{
	self->i--;
	self->stack[self->i] = NULL;
}
