/* bcopy() takes addresses, not structs. */
/* @status 1 */
/* @options -xerrtags */
struct s { int a; int b:3; struct s *next; char t[4]; };
struct s v;
BEGIN
{
	bcopy(v, alloca(8), 1);
}
