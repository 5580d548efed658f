/* Members are aligned as in C; nothing follows the last one. */
#pragma D option quiet
struct tail { long l; char c; };
struct mixed { char c; long l; short s; int i; };
struct nested { char c; struct tail t; char e; };
union both { char c; long l; int i[3]; };
struct text { char c; string s; };
BEGIN
{
	printf("%d %d %d %d %d\n", sizeof(struct tail), sizeof(struct mixed),
	    sizeof(struct nested), sizeof(union both), sizeof(struct text));
	printf("%d %d %d %d\n", offsetof(struct mixed, l), offsetof(struct mixed, i),
	    offsetof(struct nested, e), offsetof(struct text, s));
	exit(0);
}
