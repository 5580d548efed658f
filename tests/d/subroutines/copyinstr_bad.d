/* Any other address faults, and only its clause. */
#pragma D option quiet

vm$target:::user-msg
{
	printf("not printed");
	printf("%s", copyinstr(arg0));
}

vm$target:::user-msg
{
	printf("%s", copyinstr(arg1));
}
