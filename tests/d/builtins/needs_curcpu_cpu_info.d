/*
 * @status 1
 */
BEGIN
{
	trace(timestamp);
	trace(curcpu->cpu_info);	/* the error at the start names this line */
}
