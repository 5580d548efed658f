/* A bit-field is an integer. */
/* @status 1 */
/* @options -xerrtags */
struct s { char *a:3; };
BEGIN
{
}
