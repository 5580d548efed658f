#pragma D option anydefs

/*
 * Calls of any provider that has them, whatever its arguments are: this->class, this->method,
 * this->file and this->line, this->thread, and whether the call counts. [mf]*[dn]-entry is
 * method-entry of vm, ruby and hotspot, and function-entry of python and php.
 */
string origin[pid_t];
this uint64_t thread;

vm$target:::method-entry
{
	this->class = copyinstr(arg0);
	this->method = copyinstr(arg1);
	this->file = copyinstr(arg2);
	this->line = (int)arg3;
	this->thread = arg4 ? arg4 : tid;
}

/* Ruby fires it while a TracePoint for calls is enabled. */
ruby$target:::method-entry
{
	this->class = copyinstr(arg0);
	this->method = copyinstr(arg1);
	this->file = copyinstr(arg2);
	this->line = (int)arg3;
	this->thread = tid;
}

/* The module is what comes nearest to a class. Python 3.11 fires it while lines are traced. */
python$target:::function-entry
{
	this->file = copyinstr(arg0);
	this->class = basename(this->file);
	this->method = copyinstr(arg1);
	this->line = (int)arg2;
	this->thread = tid;
}

python$target:::line
/0/
{
}

/* PHP fires it if USE_ZEND_DTRACE=1 is in its environment. */
php$target:::function-entry
{
	this->class = copyinstr(arg3) == "" ? "(none)" : copyinstr(arg3);
	this->method = copyinstr(arg0);
	this->file = copyinstr(arg1);
	this->line = (int)arg2;
	this->thread = tid;
}

/* HotSpot fires it with -XX:+ExtendedDTraceProbes. It writes java/lang/String. */
hotspot$target:::method-entry
{
	this->class = strreplace(stringof(copyin(arg1, arg2)), "/", ".");
	this->method = stringof(copyin(arg3, arg4));
	this->file = "(unknown)";
	this->line = 0;
	this->thread = arg0;
}

/* A process may have the probes of several providers; those that fire first count. */
*$target:::[mf]*[dn]-entry
/origin[pid] == NULL/
{
	origin[pid] = probeprov;
}

*$target:::[mf]*[dn]-entry
{
	this->counts = origin[pid] == probeprov;
}
