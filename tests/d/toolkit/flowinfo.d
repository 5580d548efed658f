#!/usr/sbin/dtrace -Zs
/*
 * flowinfo.d - every kind of event in one flow, with its line.
 */
#pragma D option quiet
#pragma D option switchrate=10
#pragma D option defaultargs

dtrace:::BEGIN
{
	self->depth = 0;
	filter = $1 == 0 ? 0 : $1;
	printf("%s %6s/%-4s %10s  %16s:%-4s %-8s -- %s\n", "C", "PID", "TID",
	    "DELTA(us)", "FILE", "LINE", "TYPE", "NAME");
}

ruby*:::*-entry, ruby*:::*-return, ruby*:::object-create, ruby*:::raise
/self->last == 0/
{
	self->last = timestamp;
}

ruby*:::method-entry, ruby*:::cmethod-entry
{
	this->delta = (timestamp - self->last) / 1000;
	this->type = probename == "method-entry" ? "method" : "cmethod";
	printf("%d %6d/%-4d %10d  %16s:%-4d %-8s %*s-> %s\n", cpu, pid, tid,
	    this->delta, basename(copyinstr(arg2)), arg3, this->type,
	    self->depth * 2, "", copyinstr(arg1));
	self->depth++;
	self->last = timestamp;
}

ruby*:::method-return, ruby*:::cmethod-return
{
	this->delta = (timestamp - self->last) / 1000;
	this->type = probename == "method-return" ? "method" : "cmethod";
	self->depth -= self->depth > 0 ? 1 : 0;
	printf("%d %6d/%-4d %10d  %16s:%-4d %-8s %*s<- %s\n", cpu, pid, tid,
	    this->delta, basename(copyinstr(arg2)), arg3, this->type,
	    self->depth * 2, "", copyinstr(arg1));
	self->last = timestamp;
}

ruby*:::object-create
{
	this->delta = (timestamp - self->last) / 1000;
	printf("%d %6d/%-4d %10d  %16s:%-4d %-8s %*s-> %s\n", cpu, pid, tid,
	    this->delta, arg1 == NULL ? "<null>" : basename(copyinstr(arg1)), arg2, "obj-new",
	    self->depth * 2, "", copyinstr(arg0));
	self->last = timestamp;
}

ruby*:::raise
{
	this->delta = (timestamp - self->last) / 1000;
	printf("%d %6d/%-4d %10d  %16s:%-4d %-8s %*s-> %s\n", cpu, pid, tid,
	    this->delta, basename(copyinstr(arg1)), arg2, "raise",
	    self->depth * 2, "", copyinstr(arg0));
	self->last = timestamp;
}
