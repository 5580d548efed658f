/*
 * string, string[] in keys and members, arrays of strings; a declared global string is "".
 * @options -q
 */
string s;
string array[2];
string by[string, int];
self string mine;
struct holder { string inside; int n; };
struct holder h;

BEGIN
{
	printf("[%s] %d %d\n", s, s == NULL, s == "");
	by["a", 1] = "one";
	array[1] = by["a", 1];
	h.inside = array[1];
	self->mine = h.inside;
	printf("%s %d\n", self->mine, by["b", 1] == NULL);
	exit(0);
}
