/*
 * Each part that records something has a line of its own, as in DTrace. Parts that are not
 * reached have none, nor have conditions.
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
