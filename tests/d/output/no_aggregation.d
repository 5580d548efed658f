/* Without aggregations, nothing follows at the end. */
#pragma D option quiet

vm$target:::gc-end
{
	printf("x");
}
