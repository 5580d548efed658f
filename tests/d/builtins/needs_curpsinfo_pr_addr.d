/*
 * @status 1
 */
BEGIN
{
	trace(timestamp);
	trace(curpsinfo->pr_addr);	/* the error at the start names this line */
}
