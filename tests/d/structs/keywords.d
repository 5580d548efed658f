/* After . and -> no word is reserved; a member may have the name of a type or a variable. */
#pragma D option quiet
struct names { int uid_t; int pid; int x; };
struct names n;
BEGIN
{
	x = 3;
	n.uid_t = 1; n.pid = 2; n.x = x;
	this->for = n.pid;
	printf("%d %d %d\n", n.uid_t, n.x, this->for);
	exit(0);
}
