#!/usr/sbin/dtrace -Zs
/*
 * cputime.d - on-CPU time of methods (vtimestamp) with and without their callees.
 * A recording without CPU clocks does not have that time; the stream does.
 * @status 1
 */
#pragma D option quiet

inline int TOP = 10;

dtrace:::BEGIN { printf("Tracing... Hit Ctrl-C to end.\n"); }

ruby*:::method-entry
{
	self->depth++;
	self->exclude[self->depth] = 0;
	self->method[self->depth] = vtimestamp;
}

ruby*:::method-return
/self->method[self->depth]/
{
	this->oncpu_incl = vtimestamp - self->method[self->depth];
	this->oncpu_excl = this->oncpu_incl - self->exclude[self->depth];
	self->method[self->depth] = 0;
	self->exclude[self->depth] = 0;
	this->file = basename(copyinstr(arg2));
	this->name = strjoin(strjoin(copyinstr(arg0), "::"), copyinstr(arg1));

	@num[this->file, "method", this->name] = count();
	@types_incl[this->file, "method", this->name] = sum(this->oncpu_incl);
	@types_excl[this->file, "method", this->name] = sum(this->oncpu_excl);

	self->depth--;
	self->exclude[self->depth] += this->oncpu_incl;
}

dtrace:::END
{
	trunc(@types_excl, TOP); trunc(@types_incl, TOP);
	normalize(@types_excl, 1000); normalize(@types_incl, 1000);
	printa("   %-20s %-10s %-32s %@8d %@8d\n", @types_excl, @types_incl);
}
