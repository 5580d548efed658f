/* trunc(): the n largest stay, with a negative n the smallest; 0 and none mean all go. Of equal
 * values the larger keys are the larger elements. What clear() leaves has value 0. */
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
