/*
 * Option aggpercpu: each value is followed by a line for each CPU, with 0 if it has no data.
 * printa() with a format prints no such lines; normalize(), clear() and trunc() affect them all.
 */
#pragma D option quiet
#pragma D option aggpercpu

vm*:::method-entry
{
	@sum[copyinstr(arg0)] = sum((int)arg3);
	@max[copyinstr(arg0)] = max((int)arg3);
	@avg = avg((int)arg3);
	@dist[copyinstr(arg0)] = lquantize((int)arg3, 0, 4);
	@other[cpu] = count();
}

vm*:::gc-start
{
	printa(@sum, @max);
	printa("%s %@d\n", @sum);
	normalize(@sum, 2);
	printa(@sum);
	trunc(@sum, 1);
	printa(@sum);
	clear(@sum);
	printa(@sum);
	trunc(@sum);
}

vm*:::gc-start
{
	@sum["C"] = sum(1);
	printa(@sum);
}
