#pragma D option anydefs

/*
 * Exceptions of any provider that has them: this->class, this->file and this->line, this->thread,
 * and whether the exception counts.
 */
string origin[pid_t];
this uint64_t thread;

vm$target:::raise,
ruby$target:::raise
{
	this->class = copyinstr(arg0);
	this->file = copyinstr(arg1);
	this->line = (int)arg2;
	this->thread = tid;
}

vm$target:::raise
{
	this->thread = arg3;
}

/* PHP says the class only. */
php$target:::exception-thrown
{
	this->class = copyinstr(arg0);
	this->file = "(unknown)";
	this->line = 0;
	this->thread = tid;
}

/* A process may have the probes of several providers; those that fire first count. */
vm$target:::raise,
ruby$target:::raise,
php$target:::exception-thrown
/origin[pid] == NULL/
{
	origin[pid] = probeprov;
}

vm$target:::raise,
ruby$target:::raise,
php$target:::exception-thrown
{
	this->counts = origin[pid] == probeprov;
}
