/* A distribution in a format prints the whole picture; the text after it is on the next line. */
#pragma D option quiet

BEGIN
{
	@q["a"] = quantize(5);
	@l["a"] = lquantize(5, 0, 10, 5);
	@n["a"] = count();
	printa("%s:%@d(%@d)\n", @n, @q);
	printa("%-4s%@lld<", @l);
	exit(0);
}
