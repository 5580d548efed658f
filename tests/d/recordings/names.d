/* A name that is defined anew; a name that is not defined faults. */
#pragma D option quiet

vm$target:::method-entry
{
	printf("%s.%s\n", copyinstr(arg0), copyinstr(arg1));
}
