/* A struct only has the members that were defined. */
/* @status 1 */
/* @options -xerrtags */
struct s { int a; int b:3; struct s *next; char t[4]; };
struct s v;
BEGIN
{
	x = v.zz;
}
