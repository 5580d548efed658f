#!/usr/sbin/dtrace -s
/*
 * latency.d - the distribution of a method's time.
 *
 * USAGE: latency.d method
 *    eg, latency.d area
 * @options -x flowindent=no area
 */
#pragma D option quiet
dtrace:::BEGIN
/$$1 == ""/
{
	printf("USAGE: latency.d method\n");
	exit(1);
}
dtrace:::BEGIN
{ printf("Tracing %s... Hit Ctrl-C to end.\n", $$1); }

ruby*:::method-entry
/copyinstr(arg1) == $$1/
{
	self->start[copyinstr(arg0)] = timestamp;
	self->vstart = probefunc;
}

ruby*:::method-return
/self->start[copyinstr(arg0)]/
{
	this->time = timestamp - self->start[copyinstr(arg0)];
	@all["total (us)"] = lquantize(this->time / 1000, 0, 5, 1);
	@byname[copyinstr(arg0), copyinstr(arg1)] = quantize(this->time);
	@avg["average (ns)"] = avg(this->time);
	@max["slowest (ns)"] = max(this->time);
	@dev["deviation"] = stddev(this->time);
	self->start[copyinstr(arg0)] = 0;
}
dtrace:::END
{
	printa("%s%@d\n", @all); printa("%s::%s%@d\n", @byname);
	printa("%-16s %@16d\n", @avg); printa("%-16s %@16d\n", @max);
	printa("%-16s %@16d\n", @dev);
}
