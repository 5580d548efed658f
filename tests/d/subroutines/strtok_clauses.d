/* strtok's state lasts for one firing: all of its clauses, but not the next firing. */
#pragma D option quiet

vm*:::method-entry
{
	printf("%s", strtok("a,b,,c", ","));
}

vm*:::method-entry
{
	printf(" %s", strtok(NULL, ","));
	printf(" %s", strtok(NULL, ","));
	printf(" %d\n", strtok(NULL, ",") == NULL);
	printf("%d\n", strtok(NULL, ",") == NULL);
}

vm*:::gc-start
{
	printf("%s\n", strtok(NULL, ","));
}
