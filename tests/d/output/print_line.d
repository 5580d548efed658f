/* Not quiet: behind the line's start, like what other actions print. */
BEGIN
{
	this->number = (int *)alloca(sizeof (int));
	*this->number = 42;
	trace("number");
	print(this->number);
	exit(0);
}
