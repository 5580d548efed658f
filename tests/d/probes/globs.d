/* Globs in each part; lists; a clause per description. */
#pragma D option quiet

vm*:::gc-mark-*
{
	printf("mark: %s\n", probename);
}

::gc-end, vm1234:toy::gc-[rs]*
{
	printf("list: %s\n", probename);
}

gc-?n?
{
	printf("question: %s\n", probename);
}
