/*
 * Ten thousand keys with a distribution each fit into the default aggsize, also when
 * their values spread.
 */
#pragma D option quiet

tick-5000
{
	x++;
	@[x] = quantize(x);
	@[x] = quantize(x * 16);
	@[x] = quantize(x / 16);
}

tick-5000
/x == 10000/
{
	exit(0);
}

END
{
	trunc(@, 1);
}
