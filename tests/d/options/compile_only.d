/* @options -e */
vm$target:::gc-mark-*
{
	printf("x");
}
