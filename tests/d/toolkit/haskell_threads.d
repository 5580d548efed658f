#!/usr/sbin/dtrace -s
/*
 * haskell_threads.d - how long each thread of a Haskell program runs at a time, and why it
 * stops.
 */
HaskellEvent*:::create-thread { printf("thread %d on capability %d", arg1, arg0); }
HaskellEvent*:::run-thread { since[arg1] = timestamp; }
HaskellEvent*:::stop-thread
/since[arg1]/
{
	@run[arg1] = quantize((timestamp - since[arg1]) / 1000);
	@why[arg2 == 1 ? "heap" : arg2 == 2 ? "yield" : arg2 == 3 ? "blocked" : "done"] = count();
	since[arg1] = 0;
}
HaskellEvent*:::user-msg { trace(copyinstr(arg1)); }
HaskellEvent*:::shutdown { exit(arg0) }
