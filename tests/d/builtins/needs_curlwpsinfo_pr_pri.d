/*
 * @status 1
 */
BEGIN
{
	trace(timestamp);
	trace(curlwpsinfo->pr_pri);	/* the error at the start names this line */
}
