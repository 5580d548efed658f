/*
 * Each part that records something prints a line of its own, as in DTrace. Parts that are not
 * reached print none, nor do conditions.
 */
BEGIN
{
	trace("before");
	if (1) {
		trace("then");
	} else {
		trace("else");
	}
	trace("after");
}

BEGIN
{
	if (0) {
		trace("never");
	}
	passes++;
}

BEGIN
{
	exit(0);
}
