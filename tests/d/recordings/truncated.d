/* What a truncated recording holds is delivered; then a line says so. */
#pragma D option quiet

vm$target:::gc-mark-begin
{
	printf("mark\n");
}

END
{
	printf("end\n");
}
