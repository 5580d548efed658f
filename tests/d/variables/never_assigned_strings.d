/*
 * Until it is assigned, a global string is "", an element or a self-> string is NULL.
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
