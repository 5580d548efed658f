/*
 * stringof and casts take any array: its bytes up to the first 0.
 * @options -q
 */
uchar_t letters[4];
int wide[2];
struct s { uint8_t name[3]; } v;

BEGIN
{
	letters[0] = 'a';
	letters[1] = 'b';
	wide[0] = 0x6463;
	v.name[0] = 'e';
	printf("%s %s %s %s\n", stringof(letters), stringof(wide), stringof(v.name),
		(string)letters);
	x = stringof(letters);
	printf("%d %d\n", strlen(x), x == "ab");
	exit(0);
}
