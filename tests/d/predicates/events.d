/* Predicates on arguments and strings. */
#pragma D option quiet

vm$target:::method-entry
/arg3 > 10 && copyinstr(arg0) == "A"/
{
	printf("%s\n", copyinstr(arg1));
}

vm$target:::method-entry
/ arg3 / 10 == 2 /
{
	printf("twenty\n");
}
