/* @options -q -l
 */
/* Every suffix, in any case; without one the number is a rate. All of these exist. */
tick-200us, tick-500US, tick-1ms, tick-1MSEC, tick-5000, tick-5000hz, tick-4999HZ, tick-200000ns,
tick-200000nsec, tick-200usec, tick-1s, tick-1sec, tick-1m, tick-1min, tick-1h, tick-1hour, tick-1d,
tick-1day, profile:::tick-7, profile:::tick-8ms
{
	n++;
}

/* A glob finds the predefined ones and those that were created. */
profile:::tick-5*
/n/
{
	exit(0);
}
