/* Ends of the calls of calls.d: this->class, this->method, this->thread, and whether they count. */
vm$target:::method-return
{
	this->class = copyinstr(arg0);
	this->method = copyinstr(arg1);
	this->thread = arg4 ? arg4 : tid;
}

ruby$target:::method-return
{
	this->class = copyinstr(arg0);
	this->method = copyinstr(arg1);
	this->thread = tid;
}

python$target:::function-return
{
	this->class = basename(copyinstr(arg0));
	this->method = copyinstr(arg1);
	this->thread = tid;
}

php$target:::function-return
{
	this->class = copyinstr(arg3) == "" ? "(none)" : copyinstr(arg3);
	this->method = copyinstr(arg0);
	this->thread = tid;
}

hotspot$target:::method-return
{
	this->class = strreplace(stringof(copyin(arg1, arg2)), "/", ".");
	this->method = stringof(copyin(arg3, arg4));
	this->thread = arg0;
}

*$target:::[mf]*[dn]-return
{
	this->counts = origin[pid] == probeprov;
}
