/* strtok: continues in later clauses of a firing, starts again in the next firing. */
#pragma D option quiet

BEGIN
{
	printf("%s", strtok("//usr//lib/x", "/"));
}

BEGIN
{
	printf(" %s", strtok(NULL, "/"));
	printf(" %s", strtok(0, "/"));
	printf(" %d %d\n", strtok(NULL, "/") == NULL, strtok(NULL, "/") == NULL);
}

BEGIN
{
	printf("%s %s|%s|", strtok("a,b;c", ";,"), strtok(NULL, ";"), strtok(NULL, ";"));
	printf("%s|%d\n", strtok("a b", ""), strtok("   ", " ") == NULL);
	exit(0);
}

END
{
	trace(strtok(NULL, " "));
}

ERROR
{
	printf("fault %d at 0x%x\n", arg4, arg5);
}
