/* Arrays of every dimension; a computed index beyond them faults. */
#pragma D option quiet
int one[10];
int grid[3][4];
string names[3];
char text[6];
this int local[2];
BEGIN
{
	one[3] = 7; one[4] += 2; one[3]++;
	grid[1][2] = 12; grid[2][3] = grid[1][2]--;
	names[1] = "middle"; names[2] = names[1];
	text[0] = 'a'; text[1] = 'b';
	this->local[1] = 5;
	printf("%d %d %d\n", one[3], one[4], one[0]);
	printf("%d %d %d\n", grid[1][2], *(grid[2] + 3), sizeof(grid));
	printf("%s %s %d %d\n", names[2], text, sizeof(names[0]), strlen(names[0]));
	printf("%d\n", this->local[1]);
}
BEGIN
{
	i = 10;
	printf("%d\n", one[i]);
}
BEGIN
{
	i = -1;
	grid[0][i] = 3;
}
BEGIN
{
	exit(0);
}
