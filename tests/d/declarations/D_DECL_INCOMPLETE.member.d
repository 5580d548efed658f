/* A member needs a type that is defined. */
/* @status 1 */
/* @options -xerrtags */
struct s { struct t a; };
BEGIN
{
}
