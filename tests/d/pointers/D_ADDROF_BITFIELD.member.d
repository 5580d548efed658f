/* A bit-field has no address. */
/* @status 1 */
/* @options -xerrtags */
struct s { int a; int b:3; struct s *next; char t[4]; };
struct s v;
BEGIN
{
	x = &v.b;
}
