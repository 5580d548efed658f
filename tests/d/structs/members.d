/* Members of every kind are read and written with their own size and sign. */
#pragma D option quiet
struct point {
	int x;
	char c;
	short s;
	long l;
	unsigned char u;
	string name;
	char text[8];
	int many[3];
};
struct point p;
BEGIN
{
	p.x = 5; p.c = 'a'; p.s = -3; p.l = 1L << 40; p.u = 300;
	p.name = "hello";
	p.text[0] = 'h'; p.text[1] = 'i';
	p.many[2] = 7; p.many[2]++; p.many[1] -= 2;
	printf("%d %c %d %d %d\n", p.x, p.c, p.s, p.l, p.u);
	printf("%s, %s, %d\n", p.name, p.text, strlen(p.name));
	printf("%d %d %d\n", p.many[0], p.many[1], p.many[2]);
	exit(0);
}
