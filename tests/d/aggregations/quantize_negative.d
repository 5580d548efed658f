/* Negative values and a weight. */
#pragma D option quiet

BEGIN
{
	@ = quantize(-3);
	@ = quantize(-2);
	@ = quantize(0);
	@ = quantize(5, 2);
	exit(0);
}
