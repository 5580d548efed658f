/*
 * Calls of methods written in C, and their ends: as those of calls.d and returns.d, which it needs
 * before it. [cn][ma]*[de]-entry is native-entry of vm and cmethod-entry of ruby.
 */
vm$target:::native-entry,
vm$target:::native-return
{
	this->class = copyinstr(arg0);
	this->method = copyinstr(arg1);
	this->thread = arg4 ? arg4 : tid;
}

/* Ruby fires them always. */
ruby$target:::cmethod-entry,
ruby$target:::cmethod-return
{
	this->class = copyinstr(arg0);
	this->method = copyinstr(arg1);
	this->thread = tid;
}

*$target:::[cn][ma]*[de]-entry
/origin[pid] == NULL/
{
	origin[pid] = probeprov;
}

*$target:::[cn][ma]*[de]-entry,
*$target:::[cn][ma]*[de]-return
{
	this->counts = origin[pid] == probeprov;
}
