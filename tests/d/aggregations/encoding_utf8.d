/* Option encoding=utf8: bars of blocks where there are no negative counts. */
#pragma D option quiet
#pragma D option encoding=utf8

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
