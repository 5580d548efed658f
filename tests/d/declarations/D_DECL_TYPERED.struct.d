/* A tag can only be defined once. */
/* @status 1 */
/* @options -xerrtags */
struct s { int a; };
struct s { int b; };
BEGIN
{
}
