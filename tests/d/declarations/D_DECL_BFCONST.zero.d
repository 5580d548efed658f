/* A bit-field with a name must have bits. */
/* @status 1 */
/* @options -xerrtags */
struct s { int a:0; };
BEGIN
{
}
