/* Ticks follow the time of a recording: every 2 ms from its start. */
#pragma D option quiet

tick-2ms
{
	printf("tick %d\n", ++n);
}

vm$target:::gc-start,
vm$target:::gc-end
{
	printf("%s\n", probename);
}

vm$target:::gc-mark-begin
/n > 3/
{
	exit(0);
}
