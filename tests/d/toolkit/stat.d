#!/usr/sbin/dtrace -Zs
/*
 * stat.d - a line of sums every interval.
 *
 * USAGE: stat.d [interval [count]]
 */
#pragma D option quiet
#pragma D option defaultargs

dtrace:::BEGIN
{
	interval = $1 ? $1 : 1;
	counts = $2 ? $2 : -1;
	secs = interval;
	line = 0;
	@methods = count(); @objects = count(); @gcs = count(); @excpts = count();
	clear(@methods); clear(@objects); clear(@gcs); clear(@excpts);
}

ruby*:::method-entry   { @methods = count(); }
ruby*:::object-create  { @objects = count(); }
ruby*:::gc-mark-begin  { @gcs = count(); }
ruby*:::raise          { @excpts = count(); }

profile:::tick-2ms
{
	secs--;
}

profile:::tick-2ms
/secs == 0 && line++ % 3 == 0/
{
	printf("%-20s %10s %10s %10s %10s\n", "TIME", "METHOD/s", "OBJNEW/s", "GC/s", "EXCPT/s");
}

profile:::tick-2ms
/secs == 0/
{
	printf("%-20Y ", walltimestamp);
	normalize(@methods, interval);
	printa("%@10d %@10d %@10d %@10d\n", @methods, @objects, @gcs, @excpts);
	clear(@methods); clear(@objects); clear(@gcs); clear(@excpts);
	secs = interval;
	counts--;
}

profile:::tick-2ms
/counts == 0/
{
	exit(0);
}
dtrace:::END { trunc(@methods); trunc(@objects); trunc(@gcs); trunc(@excpts); }
