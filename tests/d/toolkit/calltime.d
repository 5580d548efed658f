#!/usr/sbin/dtrace -CZs
/*
 * calltime.d - inclusive and exclusive time of methods, in us.
 *
 * A depth per thread identifies the frames of the stack; a caller's exclusive time leaves out
 * the time of its callees.
 * @options -C -Z
 */

#define TOP	10		/* default output truncation */

#pragma D option quiet

dtrace:::BEGIN
{
	printf("Tracing... Hit Ctrl-C to end.\n");
}

ruby*:::method-entry,
ruby*:::cmethod-entry
{
	self->depth++;
	self->exclude[self->depth] = 0;
	self->method[self->depth] = timestamp;
}

ruby*:::method-return,
ruby*:::cmethod-return
/self->method[self->depth]/
{
	this->elapsed_incl = timestamp - self->method[self->depth];
	this->elapsed_excl = this->elapsed_incl - self->exclude[self->depth];
	self->method[self->depth] = 0;
	self->exclude[self->depth] = 0;
	this->file = basename(copyinstr(arg2));
	this->name = strjoin(strjoin(copyinstr(arg0), "::"), copyinstr(arg1));

	@num[this->file, "method", this->name] = count();
	@num["-", "total", "-"] = count();
	@types_incl[this->file, "method", this->name] = sum(this->elapsed_incl);
	@types_excl[this->file, "method", this->name] = sum(this->elapsed_excl);
	@types_excl["-", "total", "-"] = sum(this->elapsed_excl);

	self->depth--;
	self->exclude[self->depth] += this->elapsed_incl;
}

ruby*:::gc-sweep-begin
{
	self->gc = timestamp;
}

ruby*:::gc-sweep-end
/self->gc/
{
	this->elapsed = timestamp - self->gc;
	self->gc = 0;
	@num[".", "gc", "-"] = count();
	@types[".", "gc", "-"] = sum(this->elapsed);
	self->exclude[self->depth] += this->elapsed;
}

dtrace:::END
{
	trunc(@num, TOP);
	printf("\nCount,\n");
	printf("   %-20s %-10s %-32s %8s\n", "FILE", "TYPE", "NAME", "COUNT");
	printa("   %-20s %-10s %-32s %@8d\n", @num);

	trunc(@types_excl, TOP);
	normalize(@types_excl, 1000);
	printf("\nExclusive method elapsed times (us),\n");
	printf("   %-20s %-10s %-32s %8s\n", "FILE", "TYPE", "NAME", "TOTAL");
	printa("   %-20s %-10s %-32s %@8d\n", @types_excl);

	trunc(@types_incl, TOP);
	normalize(@types_incl, 1000);
	printf("\nInclusive method elapsed times (us),\n");
	printf("   %-20s %-10s %-32s %8s\n", "FILE", "TYPE", "NAME", "TOTAL");
	printa("   %-20s %-10s %-32s %@8d\n", @types_incl);
}
