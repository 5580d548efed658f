/*
 * For a program of the command line, the message says which part of a clause is wrong.
 * @status 1
 * @options -x errtags -n 'BEGIN / "text" / { exit(0); }'
 */
BEGIN
{
}
