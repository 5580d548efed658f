/*
 * Clauses of the command line run together with the script, in the order of the command line.
 * @options -n 'vm$target:::gc-end { printf("from -n: %d\n", x); }'
 */
#pragma D option quiet

vm$target:::gc-end
{
	x = 5;
}
