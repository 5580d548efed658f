/*
 * @status 1
 */
BEGIN
{
	trace(timestamp);
	trace(curthread);	/* the error at the start names this line */
}
