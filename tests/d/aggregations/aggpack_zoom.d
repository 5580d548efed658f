/* Options aggpack and aggzoom: bars are relative to the largest count of their line. */
#pragma D option quiet
#pragma D option aggpack
#pragma D option aggzoom
#pragma D option encoding=ascii

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
