/*
 * @status 1
 */
BEGIN
{
	trace(timestamp);
	trace(cwd);	/* the error at the start names this line */
}
