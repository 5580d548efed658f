/*
 * exit() in a branch: the rest of the branch runs, the code after the branch does not.
 * @status 5
 */
#pragma D option quiet

BEGIN
{
	if (pid == $pid) {
		exit(5);
		printf("in the branch\n");
	}
	printf("never\n");
}

BEGIN
{
	printf("never\n");
}

END
{
	if (1)
		printf("END\n");
}
