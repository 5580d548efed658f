/* Only a struct of the same type can be cast to a struct. */
/* @status 1 */
/* @options -xerrtags */
struct s { int a; int b:3; struct s *next; char t[4]; };
struct s v;
BEGIN
{
	x = (struct s)v.a;
}
