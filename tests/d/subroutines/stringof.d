/* stringof a char * reads it. */
#pragma D option quiet

vm$target:::method-entry
{
	printf("%s.%s\n", stringof(args[0]), stringof(args[1]));
}
