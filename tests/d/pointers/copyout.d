/* copyout() compiles, and what it needs is asked for at the start. */
/* @status 1 */
/* @options -w */
BEGIN
{
	copyout(alloca(4), arg0, 4);
	copyoutstr("text", arg0, 4);
}
