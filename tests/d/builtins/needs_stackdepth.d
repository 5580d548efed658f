/*
 * @status 1
 */
BEGIN
{
	trace(timestamp);
	trace(stackdepth);	/* the error at the start names this line */
}
