/*
 * -Z lets a description match nothing.
 * @options -Z
 */
#pragma D option quiet

vm$target:::nosuch
{
	printf("never");
}

vm$target:::gc-end
{
	printf("end\n");
}
