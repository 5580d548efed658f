/*
 * cap_use.d: for how much of the time the capabilities run guest code
 *
 * Question: Does the program use its capabilities?
 *
 *     $ vmtap trace cap_use --lossless -c 'toy --caps=2 parmap.toy' us
 *          PID CAPABILITY       RUNS         RAN us    USE
 *        14709          1          1         104761    89%
 *        14709          0        114         104488    89%
 *
 *          PID WORLD STOPPED      TIMES        TIME us   LOST
 *        14709 exit                   1             32     0%
 *
 * Reading: For each capability the number of runs, the time for which a guest thread ran
 * on it, and its share of the time that was traced; pauses are left out. A run counts when
 * it ends. Then, for each reason, how often the world was stopped, for how long, and the
 * share of that. Times are in ns; the argument us, ms or s gives another unit.
 *
 * Providers: vm.
 *
 * Cost: Two events for each run of a thread and for each pause.
 */
#pragma D option quiet
#pragma D option defaultargs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

uint64_t stopped[pid_t];

BEGIN
{
	start = timestamp;
}

vm$target:::thread-run
{
	since[pid, arg0] = timestamp;
	paused[pid, arg0] = stopped[pid];
}

/* Time for which the world was stopped since the thread began to run is not the thread's. */
vm$target:::thread-stop
/since[pid, arg0]/
{
	this->pause = stopped[pid] - paused[pid, arg0];
	this->ran = timestamp - since[pid, arg0];
	this->ran -= this->pause < this->ran ? this->pause : this->ran;
	@runs[pid, arg0] = count();
	@ran[pid, arg0] = sum(this->ran);
	@use[pid, arg0] = sum(100 * this->ran);
	since[pid, arg0] = 0;
}

vm$target:::pause-begin
{
	began[pid] = timestamp;
}

vm$target:::pause-end
/began[pid]/
{
	this->pause = timestamp - began[pid];
	stopped[pid] += this->pause;
	@pauses[pid, copyinstr(arg1)] = count();
	@paused[pid, copyinstr(arg1)] = sum(this->pause);
	@lost[pid, copyinstr(arg1)] = sum(100 * this->pause);
	began[pid] = 0;
}

END
{
	this->elapsed = timestamp - start;
	this->elapsed = this->elapsed ? this->elapsed : 1;
	normalize(@ran, scale);
	normalize(@use, this->elapsed);
	normalize(@paused, scale);
	normalize(@lost, this->elapsed);
	printf("%8s %10s %10s %14s %6s\n", "PID", "CAPABILITY", "RUNS", strjoin("RAN ", unit), "USE");
	printa("%8d %10d %@10d %@14d %@5d%%\n", @runs, @ran, @use);
	printf("\n");
	printf("%8s %-16s %10s %14s %6s\n", "PID", "WORLD STOPPED", "TIMES", strjoin("TIME ", unit),
	    "LOST");
	printa("%8d %-16s %@10d %@14d %@5d%%\n", @pauses, @paused, @lost);
}
