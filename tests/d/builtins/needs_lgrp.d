/*
 * @status 1
 */
BEGIN
{
	trace(timestamp);
	trace(lgrp);	/* the error at the start names this line */
}
