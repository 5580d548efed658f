/*
 * stat.d: what the VM does, a line every second
 *
 * Question: What is the VM doing now?
 *
 *     $ vmtap trace stat --lossless -c 'toy json.toy'
 *          CALLS     NATIVE   OBJECTS       BYTES  SWITCH  EXCEPT   GC  PAUSE us
 *         122621     470621     85437     3857902       1       1    1      1132
 *
 * Reading: The columns: CALLS of methods, NATIVE calls, OBJECTS created (including arrays,
 * hashes and strings) and their BYTES, SWITCHes to another guest thread, EXCEPTions
 * raised, collections (GC), and PAUSE, the time in us for which the world was stopped;
 * what the provider does not tell is 0. The last line covers the last, incomplete second.
 *
 * Providers: vm, ruby, python, php, hotspot, HaskellEvent.
 *
 * Cost: One event for each call, allocation, exception and switch of threads.
 */
#pragma D option quiet

BEGIN
{
	lines = 0;
	@calls = sum(0);
	@native = sum(0);
	@objects = sum(0);
	@bytes = sum(0);
	@switches = sum(0);
	@exceptions = sum(0);
	@collections = sum(0);
	@pause = sum(0);
}

#include "parts/pauses.d"

/* In a process with provider vm, only its probes count; else those of other providers do. */
int has_vm[pid_t];

vm$target:::method-entry,
vm$target:::native-entry,
vm$target:::object-create,
vm$target:::array-create,
vm$target:::hash-create,
vm$target:::string-create,
vm$target:::thread-run,
vm$target:::raise
/!has_vm[pid]/
{
	has_vm[pid] = 1;
}

vm$target:::method-entry
{
	@calls = sum(1);
}

/* Python 3.11 fires function-entry only while its lines are traced. */
python$target:::line
/0/
{
}

ruby$target:::method-entry,
python$target:::function-entry,
php$target:::function-entry,
hotspot$target:::method-entry
/!has_vm[pid]/
{
	@calls = sum(1);
}

vm$target:::native-entry
{
	@native = sum(1);
}

ruby$target:::cmethod-entry
/!has_vm[pid]/
{
	@native = sum(1);
}

vm$target:::object-create
{
	@objects = sum(1);
	@bytes = sum(arg1);
}

vm$target:::array-create,
vm$target:::hash-create,
vm$target:::string-create
{
	@objects = sum(1);
	@bytes = sum(arg3);
}

ruby$target:::object-create,
ruby$target:::array-create,
ruby$target:::hash-create,
ruby$target:::string-create,
hotspot$target:::object-alloc
/!has_vm[pid]/
{
	@objects = sum(1);
}

vm$target:::thread-run
{
	@switches = sum(1);
}

HaskellEvent$target:::run-thread
/!has_vm[pid]/
{
	@switches = sum(1);
}

vm$target:::raise
{
	@exceptions = sum(1);
}

ruby$target:::raise,
php$target:::exception-thrown
/!has_vm[pid]/
{
	@exceptions = sum(1);
}

#include "parts/collections.d"

vm$target:::pause-end,
ruby$target:::gc-mark-end,
ruby$target:::gc-sweep-end,
python$target:::gc-done,
hotspot$target:::gc-end,
HaskellEvent$target:::gc-end
/this->counts/
{
	@pause = sum(this->pause / 1000);
}

tick-1s,
END
/lines++ % 20 == 0/
{
	printf("%10s %10s %9s %11s %7s %7s %4s %9s\n", "CALLS", "NATIVE", "OBJECTS", "BYTES",
	    "SWITCH", "EXCEPT", "GC", "PAUSE us");
}

tick-1s,
END
{
	printa("%@10d %@10d %@9d %@11d %@7d %@7d %@4d %@9d\n", @calls, @native, @objects, @bytes,
	    @switches, @exceptions, @collections, @pause);
	clear(@calls);
	clear(@native);
	clear(@objects);
	clear(@bytes);
	clear(@switches);
	clear(@exceptions);
	clear(@collections);
	clear(@pause);
}
