/* Lost events are reported in DTrace's words, and what would have kept them is said once. */
#pragma D option quiet

vm$target:::gc-idle
{
	printf("idle\n");
}
