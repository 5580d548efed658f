/*
 * @status 1
 */
BEGIN
{
	trace(timestamp);
	trace(ucaller);	/* the error at the start names this line */
}
