/* nspec speculations at a time; a committed one is free again after the clause; output is in the
 * order of the commits. Aggregations and variables have their values at the time of the commit. */
#pragma D option quiet
#pragma D option nspec=3

BEGIN
{
	a = speculation();
	b = speculation();
	c = speculation();
	printf("%d %d %d\n", a, b, c);
	@["early"] = count();
}

BEGIN { speculate(a); printf("first\n"); printa("%s %@d\n", @); }
BEGIN { speculate(b); printf("second\n"); }
BEGIN { speculate(c); printf("third\n"); }
BEGIN { speculate(a); printf("first again\n"); }
BEGIN { @["late"] = count(); }
BEGIN { commit(c); commit(a); busy = speculation(); discard(b); }
BEGIN { printf("%d %d %d\n", busy, speculation(), speculation()); exit(0); }
END { @e = count(); clear(@); }
