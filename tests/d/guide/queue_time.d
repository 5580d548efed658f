/*
 * How long threads wait to run: an associative array with three keys, spread over
 * lines. (qtime.d in the guide.)
 */
vm$target:::thread-runnable
{
	a[arg1, pid, arg0] =
	    timestamp;
}

vm$target:::thread-run
/a[arg1, pid, arg0]/
{
	@[arg0] = quantize(timestamp -
	    a[arg1, pid, arg0]);
	a[arg1, pid, arg0] = 0;
}
