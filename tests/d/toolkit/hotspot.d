#!/usr/sbin/dtrace -Zs
/*
 * hotspot.d - methods of a VM that passes each text with its length and without a NUL:
 * copied in, terminated by a store, and joined.
 * @options -Z
 */
#pragma D option quiet
#pragma D option switchrate=10

self int depth[int];

dtrace:::BEGIN
{
	printf("%3s %6s/%-5s -- %s\n", "C", "PID", "TID", "CLASS.METHOD");
}

hotspot*:::method-entry,
ruby*:::method-entry
{
	this->class_len = strlen(copyinstr(arg0));
	this->class = (char *)copyin(arg0, this->class_len + 1);
	this->class[this->class_len] = '\0';
	this->method = (char *)copyin(arg1, strlen(copyinstr(arg1)) + 1);
	this->method[strlen(copyinstr(arg1))] = '\0';

	printf("%3d %6d/%-5d %*s-> %s.%s\n", cpu, pid, tid,
	    self->depth[arg2 ? 0 : 1] * 2, "", stringof(this->class), stringof(this->method));
	self->depth[0]++;
}

hotspot*:::method-return,
ruby*:::method-return
{
	this->class = (char *)copyin(arg0, 2);
	this->class[1] = 0;
	self->depth[0] -= self->depth[0] > 0 ? 1 : 0;
	printf("%3d %6d/%-5d %*s<- %s.%s\n", cpu, pid, tid,
	    self->depth[0] * 2, "", stringof(this->class), copyinstr(arg1));
}
