/* copyinstr reads a string argument: whole, from the middle, or truncated. */
#pragma D option quiet

vm$target:::user-msg
{
	printf("[%s] [%s] [%s]\n", copyinstr(arg1), copyinstr(arg1 + 4), copyinstr(arg1, 3));
	printf("%d\n", strlen(copyinstr(arg1)));
}
