/*
 * A global string is "" until it is assigned, an element, or self-> string NULL.
 * @options -q
 */
BEGIN
/0/
{
	s = "x";
	self->s = "x";
	a[1] = "x";
}

BEGIN
{
	printf("%d %d [%s]\n", s == NULL, s == "", s);
	printf("%d %d\n", self->s == NULL, a[1] == NULL);
	exit(0);
}
