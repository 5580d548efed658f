/* The delimiter that ended a token is skipped only if the next call's own set contains it. */
#pragma D option quiet

BEGIN
{
	printf("%s", strtok("a=1;b", "="));
	printf(" %s", strtok(NULL, ";"));
	printf(" %s", strtok(NULL, "="));
	printf(" %d\n", strtok(NULL, "=;") == NULL);
}

BEGIN
{
	printf("%s", strtok("k: v, w", ":"));
	printf("|%s", strtok(NULL, ":"));
	printf("|%d\n", strtok(NULL, ",") == NULL);
	printf("%s", strtok("x,y", ","));
	printf("|%s|\n", strtok(NULL, ""));
	exit(0);
}
