/*
 * exit() in a branch: what is behind it in the branch runs, what comes after does not.
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
