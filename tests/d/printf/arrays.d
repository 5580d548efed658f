/* %s takes an array of char, %ls and %ws one of wide characters, each up to its NUL. */
#pragma D option quiet

struct names {
	char name[4];
	wchar_t wide[4];
};

struct names n;

BEGIN
{
	n.name[0] = 'h';
	n.name[1] = 'i';
	n.wide[0] = 0x20ac;
	n.wide[1] = 'x';
	printf("[%s] [%5s] [%.1s] [%S]\n", n.name, n.name, n.name, n.name);
	printf("[%ws] [%5ls] [%-5ws]\n", n.wide, n.wide, n.wide);
	n.name[2] = '!';
	n.name[3] = '!';
	printf("[%s]\n", n.name);
	exit(0);
}
