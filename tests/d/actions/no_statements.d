/* An empty body, or one of semicolons, makes a record without data. Assignments and aggregations
 * alone record nothing; several actions print one line. */
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
