/* Distributions are sorted by the sum of their values, computed from the buckets, then by the count
 * in the bucket of 0, then by key; averages by the printed value. */
#pragma D option quiet

BEGIN
{
	@q["large"] = quantize(1000);
	@q["many small"] = quantize(1, 600);
	@q["zero twice"] = quantize(0, 2);
	@q["zero once"] = quantize(0);
	@q["negative"] = quantize(-5);
	@a["high"] = avg(10);
	@a["low"] = avg(0);
	@a["low"] = avg(9);
	@l["over"] = lquantize(1000, 0, 10);
	@l["ten"] = lquantize(9, 0, 10);
	@l["under"] = lquantize(-1000, 0, 10);
	printa("%s\n", @q);
	printa("%s %@d\n", @a);
	printa("%s\n", @l);
	exit(0);
}
