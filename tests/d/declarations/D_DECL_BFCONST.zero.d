/* A bit-field with a name has bits. */
/* @status 1 */
/* @options -xerrtags */
struct s { int a:0; };
BEGIN
{
}
