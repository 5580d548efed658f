/*
 * With anydefs a description may match nothing, as long as another does.
 */
#pragma D option quiet
#pragma D option anydefs

vm$target:::nosuch,
nosuch$target:::probe
{
	printf("never");
}

vm$target:::gc-end,
other$target:::gc-end
{
	printf("end\n");
}
