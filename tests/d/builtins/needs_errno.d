/*
 * @status 1
 */
BEGIN
{
	trace(timestamp);
	trace(errno);	/* the error at the start names this line */
}
