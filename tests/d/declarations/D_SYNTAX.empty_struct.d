/* A struct must have members. */
/* @status 1 */
/* @options -xerrtags */
struct s { };
BEGIN
{
}
