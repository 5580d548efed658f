/* With quiet the aggregations still come at the end, after a blank line. */
#pragma D option quiet

END
{
	printf("end\n");
}

vm$target:::gc-end
{
	@ = count();
}
