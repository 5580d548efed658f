/* this-> lasts through the clauses of one firing. */
#pragma D option quiet

BEGIN
{
	this->x = 5;
}

BEGIN
{
	this->x *= 2;
	printf("%d\n", this->x);
	exit(0);
}
