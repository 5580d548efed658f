/*
 * alloc_by_stack.d: the bytes allocated, by the stack of methods
 *
 * Question: What is allocated, where, and by whom?
 *
 *     $ vmtap trace alloc_by_stack --lossless -c 'toy redefine.toy'
 *     all;(no method);Shape 24
 *     all;(no method);(array) 48
 *     all;(no method);LoadError 48
 *     all;(no method);OutOfMemoryError 48
 *     ...
 *     all;Object#total;Square#area;ArgumentError 96000
 *     all;(no method);Square 96064
 *     all;Object#total;Square 224000
 *     all;Object#total;Square#area;(string) 240000
 *     all;(no method);(string) 268009650
 *
 * Reading: Each line is a stack of methods, the outermost first, then the class, then the
 * bytes: the folded form that flame graph tools read. Code outside of any method is (no
 * method), and so are methods that were entered before the trace began. Stacks of more
 * than 2000 characters are cut.
 *
 * Providers: vm.
 *
 * Cost: Two events for each call, one for each allocation and each switch of threads.
 */
#pragma D option quiet
#pragma D option strsize=2k
#pragma D option dynvarsize=64m
#pragma D option aggsize=64m

string path[pid_t, uint32_t, int64_t];

vm$target:::method-entry
{
	this->class = copyinstr(arg0);
	this->method = copyinstr(arg1);
	this->counts = 1;
}

#include "parts/names.d"

vm$target:::method-entry
{
	self->thread = arg4;
	this->level = ++level[pid, arg4];
	path[pid, arg4, this->level] = this->level > 1 ?
	    strjoin(path[pid, arg4, this->level - 1], strjoin(";", this->name)) : this->name;
}

vm$target:::method-return
{
	self->thread = arg4;
	this->level = level[pid, arg4];
}

vm$target:::method-return
/this->level > 0/
{
	path[pid, arg4, this->level] = 0;
	level[pid, arg4]--;
}

vm$target:::thread-run
{
	self->thread = arg1;
}

vm$target:::object-create
{
	this->level = level[pid, arg4];
	this->path = this->level > 0 ? path[pid, arg4, this->level] : "(no method)";
	@bytes[this->path, copyinstr(arg0)] = sum(arg1);
}

/* The probes that say which thread allocates. */
vm$target:::array-create,
vm$target:::hash-create,
vm$target:::string-create
/arg5/
{
	self->thread = arg5;
}

vm$target:::array-create,
vm$target:::hash-create,
vm$target:::string-create
{
	this->level = level[pid, self->thread];
	this->path = this->level > 0 ? path[pid, self->thread, this->level] : "(no method)";
	this->kind = probename == "array-create" ? "(array)" :
	    probename == "hash-create" ? "(hash)" : "(string)";
	@bytes[this->path, this->kind] = sum(arg3);
}

END
{
	printa("all;%s;%s %@d\n", @bytes);
}
