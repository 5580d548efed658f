/* A name may be defined again; using a name that is not defined is a fault. */
#pragma D option quiet

vm$target:::method-entry
{
	printf("%s.%s\n", copyinstr(arg0), copyinstr(arg1));
}
