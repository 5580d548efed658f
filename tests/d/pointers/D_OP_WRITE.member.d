/* The memory of the process cannot be written by a store. */
/* @status 1 */
/* @options -xerrtags */
struct s { int a; int b:3; struct s *next; char t[4]; };
struct s v;
BEGIN
{
	((struct s *)arg0)->a = 1;
}
