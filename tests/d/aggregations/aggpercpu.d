/*
 * Option aggpercpu: behind each value a line for each CPU, 0 where it has no data of it. What
 * printa() prints by a format has none; normalize(), clear() and trunc() hold for all of them.
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
