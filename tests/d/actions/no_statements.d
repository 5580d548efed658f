/* A record with no data: an empty body, one of semicolons. Assignments and aggregations alone record
 * nothing; several actions are one line. */
BEGIN
{
}

BEGIN
{
	;
	;
}

BEGIN
{
	x = 1;
	@a = count();
}

BEGIN
{
	trace(1);
	trace("two");
	printf("three");
	exit(0);
}
