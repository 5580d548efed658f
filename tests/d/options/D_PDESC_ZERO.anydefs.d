/*
 * With anydefs it is an error if no description of a source's probes matches; each is named once.
 * @status 1
 * @options -x errtags
 */
#pragma D option quiet
#pragma D option anydefs

BEGIN
{
	printf("never");
}

vm$target:::nosuch-probe,
vm$target:::nosuch,
nosuch$target:::probe,
vm$target:::nosuch
{
	printf("never");
}
