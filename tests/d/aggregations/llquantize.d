/* llquantize(): magnitudes from low to high, each in equal steps; values outside are in the
 * outer buckets, negative values in buckets of their own. */
#pragma D option quiet

BEGIN
{
	@a = llquantize(0, 10, 0, 2, 10);
	@a = llquantize(1, 10, 0, 2, 10);
	@a = llquantize(9, 10, 0, 2, 10);
	@a = llquantize(10, 10, 0, 2, 10);
	@a = llquantize(99, 10, 0, 2, 10);
	@a = llquantize(999, 10, 0, 2, 10, 3);
	@a = llquantize(1000, 10, 0, 2, 10);
	@a = llquantize(-15, 10, 0, 2, 10);
	@a = llquantize(-5000, 10, 0, 2, 10);
	@b = llquantize(5, 10, 1, 2, 10);
	@b = llquantize(-5, 10, 1, 2, 10);
	@b = llquantize(25, 10, 1, 2, 10);
	exit(0);
}
