/*
 * Enumerators and typedefs share their names with the globals, also those of another program.
 * @status 1
 * @options -x errtags -n 'int RED; BEGIN { exit(0); }'
 */
enum color { RED };
BEGIN
{
}
