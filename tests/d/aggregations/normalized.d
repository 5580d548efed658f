/* normalize() divides the printed values of every function, but not the keys, the lengths of bars
 * or the values for sorting; a second call replaces the first, denormalize() undoes it. */
#pragma D option quiet

BEGIN
{
	@sum[10] = sum(-1000);
	@sum[20] = sum(2999);
	@min = min(1000);
	@max = max(2500);
	@avg = avg(1000);
	@avg = avg(2001);
	@dev = stddev(1000);
	@dev = stddev(3000);
	@q = quantize(8, 500);
	@q = quantize(64, 1500);
	normalize(@sum, 10);
	normalize(@min, 10);
	normalize(@max, 10);
	normalize(@avg, 10);
	normalize(@q, 500);
	printa(@sum);
	printa("%@d\n", @min);
	printa("%@d\n", @max);
	printa("%@d\n", @avg);
	printa("%@d\n", @dev);
	printa(@q);
	normalize(@sum, 1000);
	printa("%d %@d\n", @sum);
	denormalize(@sum);
	printa("%d %@d\n", @sum);
	exit(0);
}

BEGIN
{
	printf("never\n");
}

END
{
	@sum[10] = sum(0);
	printa("%d %@d\n", @sum);
}
