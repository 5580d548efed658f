/*
 * A thread-local or clause-local variable may have the name of a constant.
 * @options -q
 */
BEGIN
{
	self->SIGKILL = 3;
	this->ENOENT = 4;
	printf("%d %d %d %d\n", self->SIGKILL, this->ENOENT, SIGKILL, ENOENT);
	exit(0);
}
