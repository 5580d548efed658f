/*
 * Clauses of the command line run beside the script, in its order.
 * @options -n 'vm$target:::gc-end { printf("from -n: %d\n", x); }'
 */
#pragma D option quiet

vm$target:::gc-end
{
	x = 5;
}
