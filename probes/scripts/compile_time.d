/*
 * compile_time.d: how long each method takes to compile, and how large its code is
 *
 * Question: What is loaded, and how long does it take?
 *
 *     $ vmtap trace compile_time --lossless -c 'toy queens.toy' us
 *     CLASS  METHOD      LEVEL   COMPILED        TIME us     LONGEST us        BYTES
 *     Board  solutions       0          1              0              0            8
 *     Board  solutions=      0          1              0              0           12
 *     Board  solve           1          1              0              0          280
 *     ...
 *     Board  set             0          1              1              1           84
 *     Board  solve           0          1              5              5          280
 *     Board  init            0          1              6              6          124
 *     (none) (file)          0          1             22             22          332
 *
 * Reading: For each method and each level of the compiler, 0 the first, how often it was
 * compiled, the sum of the times and the longest, and the bytes of the code that was made.
 * The time of a function includes that of functions within it. Times are in ns; the
 * argument us, ms or s gives another unit.
 *
 * Providers: vm.
 *
 * Cost: Two events for each method that is compiled.
 */
#pragma D option quiet
#pragma D option defaultargs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

/* Functions within a function nest in it. */
vm$target:::compile-begin
{
	this->depth = ++depth[pid, arg6];
	start[pid, arg6, this->depth] = timestamp;
}

vm$target:::compile-end
{
	this->depth = depth[pid, arg6];
	this->start = this->depth > 0 ? start[pid, arg6, this->depth] : 0;
}

vm$target:::compile-end
/this->start/
{
	this->elapsed = timestamp - this->start;
	@times[copyinstr(arg1), copyinstr(arg2), arg5] = count();
	@time[copyinstr(arg1), copyinstr(arg2), arg5] = sum(this->elapsed);
	@longest[copyinstr(arg1), copyinstr(arg2), arg5] = max(this->elapsed);
	@bytes[copyinstr(arg1), copyinstr(arg2), arg5] = sum(arg7);
	start[pid, arg6, this->depth] = 0;
	depth[pid, arg6]--;
}

END
{
	normalize(@time, scale);
	normalize(@longest, scale);
	printf("%-24s %-24s %6s %10s %14s %14s %12s\n", "CLASS", "METHOD", "LEVEL", "COMPILED",
	    strjoin("TIME ", unit), strjoin("LONGEST ", unit), "BYTES");
	printa("%-24s %-24s %6d %@10d %@14d %@14d %@12d\n", @times, @time, @longest, @bytes);
}
