/*
 * On the command line a description needs no body; messages name it up to its predicate or body.
 * @options -n BEGIN -n 'END,dtrace:::BEGIN' -n 'BEGIN /1/{exit(0);}'
 */
BEGIN
{
	printf("in the script");
}
