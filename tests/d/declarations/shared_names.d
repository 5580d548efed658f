/*
 * Enumerators and typedefs share one name space with globals, including those of another program.
 * @status 1
 * @options -x errtags -n 'int RED; BEGIN { exit(0); }'
 */
enum color { RED };
BEGIN
{
}
