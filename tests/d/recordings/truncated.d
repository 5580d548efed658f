/* The events of a truncated recording are delivered; then a line says that it is truncated. */
#pragma D option quiet

vm$target:::gc-mark-begin
{
	printf("mark\n");
}

END
{
	printf("end\n");
}
