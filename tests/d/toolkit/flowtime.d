#!/usr/sbin/dtrace -Zs
/*
 * flowtime.d - like flow.d, with the time since the previous line of the same thread.
 */
#pragma D option quiet
#pragma D option switchrate=10hz

self int depth; self int64_t last;

dtrace:::BEGIN { printf("%3s %6s %10s  %-12s -- %s\n", "C", "PID", "DELTA(us)", "FILE", "CLASS::METHOD"); }

ruby*:::method-entry, ruby*:::cmethod-entry, ruby*:::method-return, ruby*:::cmethod-return
/ self->last == 0 /
{ self->last = timestamp; }

ruby*:::method-entry,
ruby*:::cmethod-entry
{
	this->delta = (timestamp - self->last) / 1000;
	this->name = strjoin(strjoin(copyinstr(arg0),"::"),copyinstr(arg1));
	printf("%3d %6d %10d  %-12s %*s-> %s\n", cpu, pid, this->delta, basename(copyinstr(arg2)),
	    self->depth * 2, "", this->name);
	self->depth++;
	self->last = timestamp;
}

ruby*:::method-return,
ruby*:::cmethod-return
{
	this->delta = (timestamp - self->last) / 1000;
	self->depth -= self->depth > 0 ? 1 : 0;
	this->name = strjoin(strjoin(copyinstr(arg0),"::"),copyinstr(arg1));
	printf("%3d %6d %10d  %-12s %*s<- %s\n", cpu, pid, this->delta, basename(copyinstr(arg2)),
	    self->depth * 2, "", this->name);
	self->last = timestamp;
}
