/* lquantize, llquantize, stddev: the outer buckets, steps, weights, and order by value. */
#pragma D option quiet

BEGIN
{
	@l["wide"] = lquantize(5, 0, 10, 2);
	@l["wide"] = lquantize(-1, 0, 10, 2);
	@l["wide"] = lquantize(99, 0, 10, 2, 3);
	@l["low"] = lquantize(0, 0, 10, 2);
	@one = lquantize(-2, -3, 0);
	@log = llquantize(5, 10, 0, 1, 10);
	@log = llquantize(99, 10, 0, 1, 10);
	@log = llquantize(100, 10, 0, 1, 10);
	@low = llquantize(5, 10, 1, 2, 10);
	@s["some"] = stddev(1);
	@s["some"] = stddev(5);
	@s["none"] = stddev(7);
	exit(0);
}
