/* A string is the address of its characters where a subroutine takes memory. */
#pragma D option quiet

string word;

BEGIN
{
	word = "signal";
	block = (char *)alloca(16);
	bcopy(probename, block, 4);
	bcopy(word, block + 3, 6);
	bcopy("!", block + 9, 2);
	printf("%s %s\n", stringof(block), inet_ntop(2, "AB!~"));
	word = "changed";
	printf("%s\n", stringof(block));
}

/* its NUL can be read, the bytes after it cannot */
BEGIN
{
	bcopy("abc", alloca(8), 4);
	printf("whole\n");
}

BEGIN
{
	bcopy("abc", alloca(8), 5);
}

string none[int];

BEGIN
{
	bcopy(none[0], alloca(8), 1);
}

BEGIN
{
	exit(0);
}
