/* Header, then a line for each clause that recorded something. */
vm$target:::gc-start
{
	printf("generation %d", arg1);
}

vm$target:::gc-end
{
	n++;
	@[1] = count();
}

vm$target:::gc-mark-begin
{
}

vm$target:::gc-request
{
	trace(arg1);
	trace("parallel");
	trace((int)-5);
}
