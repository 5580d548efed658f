/* clear() keeps keys with value zero, trunc() removes them; both act when the clause ends. */
#pragma D option quiet

BEGIN
{
	@c["x"] = count();
	@q["x"] = quantize(8);
	@m["x"] = max(-3);
	@a["x"] = avg(7);
	clear(@c);
	clear(@q);
	clear(@m);
	clear(@a);
	printa(@c, @m, @a);
	printa(@q);
	trunc(@c);
	printa(@c);
	printf("end of BEGIN\n");
	exit(0);
}

END
{
	@m["x"] = max(-9);
	@q["x"] = quantize(8);
	printa(@m);
	printa(@q);
}
