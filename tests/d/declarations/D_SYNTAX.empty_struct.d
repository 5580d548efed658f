/* A struct has members. */
/* @status 1 */
/* @options -xerrtags */
struct s { };
BEGIN
{
}
