/* A committed speculation prints at commit()'s place, under the header of the clause that recorded
 * it; a clause with only commit() prints no line. */
tick-10
{
	self->id = speculation();
	i++;
}

tick-10
/i == 1/
{
	speculate(self->id);
	printf("id %d, kept %s", self->id, strjoin("a", "b"));
	trace(i);
}

tick-10
/i == 1/
{
	speculate(self->id);
	trace("more");
}

tick-10
/i == 1/
{
	printf("before");
}

tick-10
/i == 1/
{
	commit(self->id);
}

tick-10
/i == 1/
{
	printf("after");
	exit(0);
}
