/*
 * All clauses of a firing see this->; the next firing finds the last one's value.
 * @options -q
 */
this int n;

tick-1ms
{
	this->n++;
}

tick-1ms
{
	printf("%d\n", this->n);
}

tick-1ms
/this->n == 3/
{
	exit(0);
}
