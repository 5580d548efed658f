/* Events of several capabilities come in time order. */
#pragma D option quiet

vm$target:::gc-idle
{
	printf("%d at %d\n", arg0, timestamp);
}
