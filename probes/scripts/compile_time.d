/*
 * compile_time.d: how long each method takes to compile, and how large its code is
 *
 * Question: What is loaded, and how long does it take?
 *
 *     $ vmtap trace compile_time --lossless -c 'toy queens.toy' us
 *     CLASS  METHOD      LEVEL   COMPILED        TIME us     LONGEST us        BYTES
 *     Board  solutions       0          1              0              0            8
 *     Board  set             1          1              0              0           84
 *     Board  solve           1          1              0              0          280
 *     ...
 *     Board  solutions=      0          1              1              1           12
 *     Board  init            0          1              2              2          124
 *     Board  solve           0          1              5              5          280
 *     (none) (file)          0          1             22             22          332
 *
 * Reading: For each method and each level of the compiler, 0 the first, how often it was
 * compiled, the sum of the times and the longest, and the bytes of the code that was made,
 * which HotSpot does not tell. The time of a function includes that of functions within
 * it. Times are in ns; the argument us, ms or s gives another unit.
 *
 * Providers: vm, hotspot.
 *
 * Cost: Two events for each method that is compiled.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option anydefs

this uint64_t thread;

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

/* Functions within a function nest in it. */
vm$target:::compile-begin
{
	this->thread = arg6;
}

vm$target:::compile-end
{
	this->thread = arg6;
	this->class = copyinstr(arg1);
	this->method = copyinstr(arg2);
	this->level = (int)arg5;
	this->bytes = (uint64_t)arg7;
}

/* HotSpot's compilers are C1 and C2, and it does not say how much code they make. */
hotspot$target:::method-compile-begin,
hotspot$target:::method-compile-end
{
	this->thread = tid;
	this->class = stringof(copyin(arg2, arg3));
	this->method = stringof(copyin(arg4, arg5));
	this->level = strstr(stringof(copyin(arg0, arg1)), "2") == NULL ? 1 : 2;
	this->bytes = 0;
}

vm$target:::compile-begin,
hotspot$target:::method-compile-begin
{
	this->depth = ++depth[pid, this->thread];
	start[pid, this->thread, this->depth] = timestamp;
}

vm$target:::compile-end,
hotspot$target:::method-compile-end
{
	this->depth = depth[pid, this->thread];
	this->start = this->depth > 0 ? start[pid, this->thread, this->depth] : 0;
}

vm$target:::compile-end,
hotspot$target:::method-compile-end
/this->start/
{
	this->elapsed = timestamp - this->start;
	@times[this->class, this->method, this->level] = count();
	@time[this->class, this->method, this->level] = sum(this->elapsed);
	@longest[this->class, this->method, this->level] = max(this->elapsed);
	@bytes[this->class, this->method, this->level] = sum(this->bytes);
	start[pid, this->thread, this->depth] = 0;
	depth[pid, this->thread]--;
}

END
{
	normalize(@time, scale);
	normalize(@longest, scale);
	printf("%-24s %-24s %6s %10s %14s %14s %12s\n", "CLASS", "METHOD", "LEVEL", "COMPILED",
	    strjoin("TIME ", unit), strjoin("LONGEST ", unit), "BYTES");
	printa("%-24s %-24s %6d %@10d %@14d %@14d %@12d\n", @times, @time, @longest, @bytes);
}
