/* trunc() keeps the n largest, with a negative n the smallest; with 0 or no n it removes all. Of
 * equal values the larger keys are the larger elements. Elements left by clear() have value 0. */
#pragma D option quiet

BEGIN
{
	@a["a"] = sum(5);
	@a["b"] = sum(5);
	@a["c"] = sum(5);
	@a["d"] = sum(1);
	@b["a"] = count();
	@c["a"] = quantize(3);
	trunc(@a, 10);
	printa("%s %@d, ", @a);
	printf("\n");
	trunc(@a, 3);
	printa("%s %@d, ", @a);
	printf("\n");
	trunc(@a, -2);
	printa("%s %@d, ", @a);
	printf("\n");
	clear(@a);
	printa("%s %@d, ", @a);
	printf("\n");
	trunc(@a, 0);
	printa("never\n", @a);
	trunc(@b);
	printa("never\n", @b);
	clear(@c);
	printa(@c);
	exit(0);
}
