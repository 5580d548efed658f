/*
 * The method that runs on each OS thread: self->class and self->method, NULL outside of methods. It
 * needs the parts calls.d and returns.d before it.
 */
*$target:::[mf]*[dn]-entry
/this->counts/
{
	this->level = ++level[pid, this->thread];
	class[pid, this->thread, this->level] = this->class;
	method[pid, this->thread, this->level] = this->method;
	self->class = this->class;
	self->method = this->method;
}

*$target:::[mf]*[dn]-return
/this->counts && level[pid, this->thread]/
{
	this->level = level[pid, this->thread];
	class[pid, this->thread, this->level] = 0;
	method[pid, this->thread, this->level] = 0;
	level[pid, this->thread] = this->level - 1;
	self->class = class[pid, this->thread, this->level - 1];
	self->method = method[pid, this->thread, this->level - 1];
}

/* Green threads share OS threads. */
vm$target:::thread-run
{
	self->class = class[pid, arg1, level[pid, arg1]];
	self->method = method[pid, arg1, level[pid, arg1]];
}

vm$target:::thread-stop
{
	self->class = 0;
	self->method = 0;
}
