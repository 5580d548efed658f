/* Options for things that do not exist here, with values that change nothing. */
#pragma D option quiet
#pragma D option bufpolicy=switch
#pragma D option bufsize=4m
#pragma D option nspec=3
#pragma D option stackframes=5
#pragma D option destructive
#pragma D option cpu=unset

BEGIN
{
	printf("ran\n");
	exit(0);
}
