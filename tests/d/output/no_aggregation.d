/* Without aggregations nothing follows. */
#pragma D option quiet

vm$target:::gc-end
{
	printf("x");
}
