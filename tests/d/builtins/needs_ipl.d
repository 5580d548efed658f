/*
 * @status 1
 */
BEGIN
{
	trace(timestamp);
	trace(ipl);	/* the error at the start names this line */
}
