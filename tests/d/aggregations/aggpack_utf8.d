/* Packed distributions are UTF-8 by default. */
#pragma D option quiet
#pragma D option aggpack

BEGIN
{
	@q["read"] = quantize(1);
	@q["read"] = quantize(2, 3);
	@q["read"] = quantize(100, 6);
	@q["write"] = quantize(0);
	@q["write"] = quantize(40, 2);
	@q["sync"] = quantize(3, -1);
	exit(0);
}
