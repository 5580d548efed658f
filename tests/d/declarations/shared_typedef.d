/*
 * @status 1
 * @options -x errtags -n 'typedef int tally; BEGIN { exit(0); }'
 */
BEGIN
{
	tally = 1;
}
