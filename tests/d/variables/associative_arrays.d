/*
 * An absent element is 0 or NULL; storing a literal 0 removes one; keys are converted to the
 * types of the first use or of the declaration.
 * @options -q
 */
string names[int, string];
int by_char[char];
self int mine[string];

BEGIN
{
	printf("%d %d %d\n", names[1, "x"] == NULL, by_char[5], self->mine["k"]);
	names[1, "x"] = "one";
	names[257, "x"] = "other";
	by_char[300] = 7;
	self->mine["k"]++;
	self->mine["l"] += 3;
	a[1] = 5;
	a[4294967297]++;
	printf("%s %s %d %d\n", names[1, "x"], names[257, "x"], by_char[44], a[1]);
	printf("%d %d\n", self->mine["k"], self->mine["l"]);
	names[1, "x"] = 0;
	a[1] = 0;
	self->mine["k"] = 0;
	printf("%d %d %d\n", names[1, "x"] == NULL, a[1], self->mine["k"]);
	b["x", 1, 'c', 2L, "y", (char)3, 4, 5] = 8;
	printf("%d %d\n", b["x", 1, 'c', 2L, "y", 3, 4, 5], b["x", 1, 'c', 2L, "y", 3, 4, 6]);
	exit(0);
}
