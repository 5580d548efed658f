/*
 * if and else: blocks, single statements, else if, nesting, and what follows.
 */
#pragma D option quiet

vm$target:::gc-start
{
	printf("generation %d: ", arg1);
	if (arg2) {
		printf("full");
		if (arg3 > 1000)
			printf(", large");
		else
			printf(", small");
	} else if (arg1 == 0) {
		printf("young");
	} else {
	}
	if (arg1 == 7);
	this->line++;
	if (seen++ == 1) { printf(" (second)"); }
	printf("\n")
}
