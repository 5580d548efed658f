/* Option aggpack: lquantize shows all of its levels; other functions print as usual. */
#pragma D option quiet
#pragma D option aggpack
#pragma D option encoding=ascii

BEGIN
{
	@l[1, (char)2] = lquantize(3, 0, 10, 1);
	@l[1, (char)2] = lquantize(30, 0, 10, 1);
	@l[2, (char)3] = lquantize(-30, 0, 10, 1, 4);
	@k = quantize(5);
	@c["x"] = count();
	@d = llquantize(7, 10, 0, 1, 10);
	exit(0);
}
