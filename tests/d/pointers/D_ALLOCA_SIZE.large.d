/* A literal size is held against option scratchsize at once. */
/* @status 1 */
/* @options -xerrtags */
BEGIN
{
	this->p = alloca(300);
}
