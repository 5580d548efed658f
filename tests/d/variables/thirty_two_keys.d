/*
 * Thirty-two keys of any kind, global and of a thread; integers are cut to the types of the first
 * use, strings at strsize, and a tuple is found again only if every key agrees.
 * @options -q -x strsize=8
 */
struct pair { int a; char b; } p;
int all[char, short, int, long, string, struct pair, uint8_t, pid_t, char, short, int, long, string,
    struct pair, uint8_t, pid_t, char, short, int, long, string, struct pair, uint8_t, pid_t, char,
    short, int, long, string, struct pair, uint8_t, string];
self string own[int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int, int,
    int, int, int, int, int, int, int, int, int, int, int, int, int, int, string];
BEGIN
{
	p.a = 1;
	all[1, 2, 3, 4, "five", p, 7, 8, 1, 2, 3, 4, "five", p, 7, 8, 1, 2, 3, 4, "five", p, 7, 8,
	    1, 2, 3, 4, "five", p, 7, "last"] = 32;
	printf("%d", all[1, 2, 3, 4, "five", p, 7, 8, 1, 2, 3, 4, "five", p, 7, 8, 1, 2, 3, 4, "five",
	    p, 7, 8, 1, 2, 3, 4, "five", p, 7, "last"]);
	printf(" %d", all[257, 65538, 3, 4, "five", p, 263, 8, 1, 2, 3, 4, "five", p, 7, 8, 1, 2, 3,
	    4, "five", p, 7, 8, 1, 2, 3, 4, "five", p, 263, "last"]);
	printf(" %d", all[1, 2, 3, 4, "five", p, 7, 8, 1, 2, 3, 4, "five", p, 7, 8, 1, 2, 3, 4, "five",
	    p, 7, 8, 1, 2, 3, 4, "five", p, 7, "lasts"]);
	p.b = 1;
	printf(" %d\n", all[1, 2, 3, 4, "five", p, 7, 8, 1, 2, 3, 4, "five", p, 7, 8, 1, 2, 3, 4,
	    "five", p, 7, 8, 1, 2, 3, 4, "five", p, 7, "last"]);
}
BEGIN
{
	self->own[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
	    25, 26, 27, 28, 29, 30, 31, "12345678 and more"] = "found";
	printf("%s", self->own[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20,
	    21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, "12345678"]);
	self->own[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
	    25, 26, 27, 28, 29, 30, 31, "12345678"] = 0;
	printf(" %d\n", self->own[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19,
	    20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, "12345678"] == NULL);
	exit(0);
}
