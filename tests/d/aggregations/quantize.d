/* Rows of powers of two, from one below the first to one above the last. */
vm$target:::heap
{
	@ = quantize(arg1);
	@by[arg0] = quantize(arg2);
}
