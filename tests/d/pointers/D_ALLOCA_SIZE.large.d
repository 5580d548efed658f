/* A literal size is compared with option scratchsize at compile time. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	this->p = alloca(300);
}
