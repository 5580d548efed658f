/* alloca() gives zeroed memory for the clause; an address kept from an earlier clause faults. */
#pragma D option quiet
struct node { int value; struct node *next; };
BEGIN
{
	this->a = (struct node *)alloca(sizeof(struct node));
	this->b = (struct node *)alloca(sizeof(struct node));
	this->a->value = 1; this->a->next = this->b; this->b->value = 2;
	printf("%d %d %d\n", this->a->value, this->a->next->value, this->b->next == NULL);
	this->t = (char *)alloca(8);
	bcopy(&this->a->value, this->t, 4);
	printf("%d %d\n", this->t[0], this->t[4]);
}
BEGIN
{
	this->c = (char *)alloca(100);
	printf("%d\n", this->a->value);
}
BEGIN
{
	bcopy(alloca(8), alloca(4), 8);
}
BEGIN
{
	this->t = (char *)alloca(8);
	this->t[8] = 1;
}
BEGIN
{
	n = 400;
	this->t = (char *)alloca(n);
}
BEGIN
{
	trace(*(int *)NULL);
}
BEGIN
{
	exit(0);
}
