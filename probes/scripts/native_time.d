/*
 * native_time.d: the time spent in methods that are written in C
 *
 * Question: Which methods are called, and where does the time go?
 *
 *     $ vmtap trace native_time --lossless -c 'toy json.toy' us
 *     CLASS      METHOD         TIME us     LONGEST us      CALLS  SHARE
 *     Error      message              0              0          1     0%
 *     Error      init                 0              0          1     0%
 *     Array      length               0              0          3     0%
 *     ...
 *     Hash       []=               5125           2945      13991     2%
 *     Array      <<                9281           7092      24982     3%
 *     String     length           10525           4875      35745     4%
 *     String     slice            35801          32673      41876    14%
 *     Array      join             42597          39942      19994    16%
 *     String     byte            148498          69695     325801    58%
 *
 * Reading: The time from entry to return, including time spent waiting, and its share in
 * the time of all native calls. Times are in ns; the argument us, ms or s gives another
 * unit.
 *
 * Providers: vm, ruby.
 *
 * Cost: Two events for each call of a native method.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option dynvarsize=16m

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

string origin[pid_t];
uint64_t total;

/*
 * native-entry of provider vm, cmethod-entry of ruby. A VM may have the probes of several providers;
 * those that fire first are used.
 */
*$target:::[nc]*-entry
/origin[pid] == NULL && (probename == "native-entry" || probename == "cmethod-entry")/
{
	origin[pid] = probeprov;
}

*$target:::[nc]*-entry
/probeprov == origin[pid] && (probename == "native-entry" || probename == "cmethod-entry")/
{
	this->thread = arg4 ? arg4 : tid;
	this->level = ++level[pid, this->thread];
	start[pid, this->thread, this->level] = timestamp;
}

*$target:::[nc]*-return
/probeprov == origin[pid] && (probename == "native-return" || probename == "cmethod-return")/
{
	this->thread = arg4 ? arg4 : tid;
	this->level = level[pid, this->thread];
	this->start = this->level > 0 ? start[pid, this->thread, this->level] : 0;
}

*$target:::[nc]*-return
/probeprov == origin[pid] && this->start/
{
	this->elapsed = timestamp - this->start;
	@calls[copyinstr(arg0), copyinstr(arg1)] = count();
	@time[copyinstr(arg0), copyinstr(arg1)] = sum(this->elapsed);
	@longest[copyinstr(arg0), copyinstr(arg1)] = max(this->elapsed);
	@share[copyinstr(arg0), copyinstr(arg1)] = sum(100 * this->elapsed);
	total += this->elapsed;
	start[pid, this->thread, this->level] = 0;
}

*$target:::[nc]*-return
/probeprov == origin[pid] && this->level > 0/
{
	level[pid, this->thread]--;
}

END
{
	normalize(@time, scale);
	normalize(@longest, scale);
	normalize(@share, total ? total : 1);
	printf("%-24s %-24s %14s %14s %10s %6s\n", "CLASS", "METHOD", strjoin("TIME ", unit),
	    strjoin("LONGEST ", unit), "CALLS", "SHARE");
	printa("%-24s %-24s %@14d %@14d %@10d %@5d%%\n", @time, @longest, @calls, @share);
}
