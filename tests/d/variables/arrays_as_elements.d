/* Associative arrays whose elements are arrays: an element comes to be when something is stored into
 * it, reads as zeroes before, and a literal 0 frees it. A computed index beyond it faults. */
#pragma D option quiet
int row[int][3];
char names[string][16];
int grid[int, string][2][4];
string texts[int][2];
struct point { int x; short y; } points[int][3];
char *pointers[int][2];
self int own[int][4];
typedef long pair[2];
pair pairs[pid_t];
self pair kept;
int (parenthesized[int])[2];
inline int first[int k] = row[k][0];
BEGIN
{
	printf("%d %d\n", row[1][2], sizeof(row[1]));
	row[1][0] = 10; row[1][1] = 11; row[1][2] = 12;
	row[2][1] += 5; row[2][1]++;
	printf("%d %d %d | %d %d %d | %d\n", row[1][0], row[1][1], row[1][2], row[2][0], row[2][1],
	    row[2][2], first[1]);
	i = 2;
	row[row[2][0] + 1][i] = row[1][i - 1]--;
	printf("%d %d %d\n", row[1][2], *(row[1] + 1), *row[1]);
}
BEGIN
{
	names["a"][0] = 'x'; names["a"][1] = 'y';
	names["b"][0] = 'z';
	printf("%s %s [%s] %d\n", names["a"], names["b"], names["c"], strlen(names["a"]));
	printf("%s %d %d\n", strjoin(names["a"], names["b"]), names["a"] == "xy",
	    index(names["a"], "y"));
	bcopy(names["a"], names["d"], 16);
	names["d"][1] = '!';
	printf("%s %s\n", names["a"], stringof(names["d"]));
	@[names["a"]] = count();
	@[names["b"]] = count();
}
BEGIN
{
	grid[1, "a"][1][3] = 13;
	grid[1, "a"][0][2] = grid[1, "a"][1][3] + 1;
	printf("%d %d %d %d\n", grid[1, "a"][1][3], grid[1, "a"][0][2], grid[1, "b"][1][3],
	    sizeof(grid[1, "a"][0]));
	texts[3][1] = "text"; texts[3][0] = texts[3][1];
	printf("%s %s\n", texts[3][0], texts[4][0]);
	points[1][2].x = 5; points[1][2].y = -1; points[2][0] = points[1][2];
	printf("%d %d %d\n", points[2][0].x, points[2][0].y, points[2][1].x);
	p = &points[1][2]; p->x = 77;
	printf("%d %d %d\n", points[1][2].x, p == &points[1][2], p == &points[2][2]);
	printf("%d %d %d\n", row[1] == row[1], row[1] == row[2], &row[2][2] - row[2]);
}
BEGIN
{
	self->own[7][3] = 1; self->own[7][2] = self->own[7][3] + 1;
	pairs[pid][1] = 8;
	self->kept[1] = 9;
	parenthesized[3][1] = 4;
	printf("%d %d %d %d %d\n", self->own[7][2], self->own[8][2], pairs[pid][1], self->kept[1],
	    parenthesized[3][1]);
	tracemem(self->own[7], 16);
	trace(pairs[pid]);
}
BEGIN
{
	row[1] = 0;
	self->kept = 0;
	names["a"] = 0;
	printf("\n%d %d [%s] %s %d\n", row[1][0], row[2][1], names["a"], names["b"], self->kept[1]);
}
BEGIN
{
	i = 3;
	row[1][i] = 1;
}
BEGIN
{
	i = -1;
	trace(grid[1, "a"][1][i]);
}
BEGIN
{
	exit(0);
}
