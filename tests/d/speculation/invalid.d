/* speculate() with an id that is not active ends the clause silently; commit() and discard() of
 * such an id do nothing, of one above nspec they fault. */
#pragma D option nspec=2

BEGIN
{
	x = 1;
	speculate(0);
	x = 2;
	trace("never");
}

BEGIN
{
	speculate(2);
	x = 3;
}

BEGIN
{
	commit(2);
	discard(1);
	y = 1;
}

BEGIN
{
	commit(3);
	y = 2;
}

BEGIN
{
	discard(-1);
	y = 3;
}

BEGIN
{
	printf("x %d y %d", x, y);
	exit(0);
}
