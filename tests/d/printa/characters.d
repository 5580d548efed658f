/* Keys that are arrays of characters: %s and %S print them up to a NUL, or completely. */
#pragma D option quiet

char name[4];

BEGIN
{
	name[0] = 'a';
	@[name, name, name, name] = count();
	name[1] = 'b';
	name[2] = '\t';
	name[3] = 'd';
	@[name, name, name, name] = count();
	name[0] = 0;
	@[name, name, name, name] = count();
	printa("[%s] [%6s] [%-6.2s] [%S] %@d\n", @);
	exit(0);
}
