/*
 * parse_time.d: how long each file takes to parse and compile
 *
 * Question: What is loaded, and how long does it take?
 *
 *     $ vmtap trace parse_time --lossless -c 'toy redefine.toy' us
 *     FILE              PARSES    LINES        TIME us     LONGEST us
 *     redefine.toy           1      120            139            139
 *     lib/scale.toy          3        9             18              8
 *
 * Reading: How often each file was parsed, the line at which the parser ended (0 for PHP),
 * the sum of the times, and the longest. Times are in ns; the argument us, ms or s gives
 * another unit.
 *
 * Providers: vm, ruby, php.
 *
 * Cost: Two events for each file that is parsed.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option anydefs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

string origin[pid_t];

/* A VM may have the probes of several providers; those that fire first are used. */
*$target:::parse-begin
/origin[pid] == NULL/
{
	origin[pid] = probeprov;
}

*$target:::parse-begin
/probeprov == origin[pid]/
{
	self->level++;
	self->parse[self->level] = timestamp;
}

*$target:::parse-end
/probeprov == origin[pid] && self->level > 0/
{
	this->elapsed = timestamp - self->parse[self->level];
	@parses[copyinstr(arg0)] = count();
	@lines[copyinstr(arg0)] = max(arg1);
	@time[copyinstr(arg0)] = sum(this->elapsed);
	@longest[copyinstr(arg0)] = max(this->elapsed);
	self->parse[self->level] = 0;
	self->level--;
}

php$target:::compile-file-entry
{
	self->level++;
	self->parse[self->level] = timestamp;
}

php$target:::compile-file-return
/self->level > 0 && copyinstr(arg1) != ""/
{
	this->elapsed = timestamp - self->parse[self->level];
	@parses[copyinstr(arg1)] = count();
	@lines[copyinstr(arg1)] = max(0);
	@time[copyinstr(arg1)] = sum(this->elapsed);
	@longest[copyinstr(arg1)] = max(this->elapsed);
}

php$target:::compile-file-return
/self->level > 0/
{
	self->parse[self->level] = 0;
	self->level--;
}

END
{
	normalize(@time, scale);
	normalize(@longest, scale);
	printf("%-40s %10s %8s %14s %14s\n", "FILE", "PARSES", "LINES", strjoin("TIME ", unit),
	    strjoin("LONGEST ", unit));
	printa("%-40s %@10d %@8d %@14d %@14d\n", @parses, @lines, @time, @longest);
}
