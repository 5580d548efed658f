/*
 * @status 1
 */
BEGIN
{
	trace(timestamp);
	trace(caller);	/* the error at the start names this line */
}
