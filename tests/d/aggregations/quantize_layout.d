/* Pictures: empty, only negative weights, mixed, normalised, the ends of the table. */
#pragma D option quiet

BEGIN
{
	@zero = quantize(0);
	@empty = quantize(3, 0);
	@down = quantize(5, -3);
	@mixed = quantize(5, -3);
	@mixed = quantize(1, 2);
	@mixed = quantize(4, 0);
	@signs = quantize(-5);
	@signs = quantize(3);
	@signs = quantize(0);
	@normal = quantize(5, 5);
	@normal = quantize(9);
	normalize(@normal, 2);
	printa(@zero);
	printa(@empty);
	printa(@down);
	printa(@mixed);
	printa(@signs);
	printa("before%@dafter\n", @normal);
	exit(0);
}
