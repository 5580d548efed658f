/* A variable needs a type that is defined. */
/* @status 1 */
/* @options -xerrtags */
struct s v;
BEGIN
{
}
