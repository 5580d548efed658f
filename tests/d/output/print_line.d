/* Not quiet: printed after the start of the line, like the output of other actions. */
BEGIN
{
	this->number = (int *)alloca(sizeof (int));
	*this->number = 42;
	trace("number");
	print(this->number);
	exit(0);
}
