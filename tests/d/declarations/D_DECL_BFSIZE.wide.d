/* A bit-field is not wider than its type. */
/* @status 1 */
/* @options -xerrtags */
struct s { int a:33; };
BEGIN
{
}
