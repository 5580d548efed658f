/* progenyof: the process itself and its ancestors. */
#pragma D option quiet

BEGIN
{
	printf("%d %d %d\n", progenyof($pid), progenyof($ppid), progenyof(0));
	exit(0);
}
