/*
 * stat.d: what the VM does, a line every second
 *
 * Question: What is the VM doing now?
 *
 *     $ vmtap trace stat --lossless -c 'toy json.toy'
 *          CALLS     NATIVE   OBJECTS       BYTES  SWITCH  EXCEPT   GC  PAUSE us
 *         122621     470621     85437     3857862       1       1    1      1509
 *
 * Reading: The columns: CALLS of methods, NATIVE calls, OBJECTS created (including arrays,
 * hashes and strings) and their BYTES, SWITCHes to another guest thread, EXCEPTions
 * raised, collections (GC), and PAUSE, the time in us for which the world was stopped. The
 * last line covers the last, incomplete second.
 *
 * Providers: vm.
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

vm$target:::method-entry
{
	@calls = sum(1);
}

vm$target:::native-entry
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

vm$target:::thread-run
{
	@switches = sum(1);
}

vm$target:::raise
{
	@exceptions = sum(1);
}

vm$target:::gc-end
{
	@collections = sum(1);
}

vm$target:::pause-begin
{
	began = timestamp;
}

vm$target:::pause-end
/began/
{
	@pause = sum((timestamp - began) / 1000);
	began = 0;
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
