#pragma D option anydefs

/*
 * Allocations of any provider that has them: this->class, this->bytes (0: the provider does not say
 * it), this->file and this->line, and whether the allocation counts. [aohs]*[ytgh]-[ca]* is
 * object-create, array-create, hash-create and string-create of vm and ruby, and object-alloc of
 * hotspot.
 */
string origin[pid_t];

vm$target:::object-create
{
	this->class = copyinstr(arg0);
	this->bytes = (uint64_t)arg1;
	this->file = copyinstr(arg2);
	this->line = (int)arg3;
}

vm$target:::array-create,
vm$target:::hash-create,
vm$target:::string-create
{
	this->bytes = (uint64_t)arg3;
}

ruby$target:::object-create
{
	this->class = copyinstr(arg0);
	this->file = copyinstr(arg1);
	this->line = (int)arg2;
	this->bytes = 0;
}

ruby$target:::array-create,
ruby$target:::hash-create,
ruby$target:::string-create
{
	this->bytes = 0;
}

*$target:::array-create,
*$target:::hash-create,
*$target:::string-create
{
	this->class = probename == "array-create" ? "(array)" :
	    probename == "hash-create" ? "(hash)" : "(string)";
	this->file = copyinstr(arg1);
	this->line = (int)arg2;
}

/*
 * HotSpot fires it with -XX:+ExtendedDTraceProbes; arrays are objects, such as [B of bytes.
 * OpenJDK 17 passes a wrong size where interpreted code allocates.
 */
hotspot$target:::object-alloc
{
	this->class = strreplace(stringof(copyin(arg1, arg2)), "/", ".");
	this->file = "(unknown)";
	this->line = 0;
	this->bytes = (uint64_t)arg3;
}

/* A process may have the probes of several providers; those that fire first count. */
*$target:::[aohs]*[ytgh]-[ca]*
/origin[pid] == NULL/
{
	origin[pid] = probeprov;
}

*$target:::[aohs]*[ytgh]-[ca]*
{
	this->counts = origin[pid] == probeprov;
}
