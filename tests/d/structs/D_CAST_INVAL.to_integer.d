/* A struct cannot be cast to an integer. */
/* @status 1 */
/* @options -xerrtags */
struct s { int a; int b:3; struct s *next; char t[4]; };
struct s v;
BEGIN
{
	x = (int)v;
}
