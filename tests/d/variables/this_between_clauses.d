/*
 * this-> is seen by all clauses of a firing; the next firing finds what the last one left.
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
