/* A member must have a name or a width. */
/* @status 1 */
/* @options -xerrtags */
struct s { int; };
BEGIN
{
}
