/* Events of several capabilities come in the order of time. */
#pragma D option quiet

vm$target:::gc-idle
{
	printf("%d at %d\n", arg0, timestamp);
}
