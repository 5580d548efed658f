/* Lost events are reported in DTrace's words. */
#pragma D option quiet

vm$target:::gc-idle
{
	printf("idle\n");
}
