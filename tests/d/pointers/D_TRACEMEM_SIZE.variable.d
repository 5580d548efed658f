/* The size of tracemem() is a positive constant. */
/* @status 1 */
/* @options -xerrtags */
struct s { int a; int b:3; struct s *next; char t[4]; };
struct s v;
BEGIN
{
	tracemem(&v.a, pid);
}
