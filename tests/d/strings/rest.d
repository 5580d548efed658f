/*
 * string + n is the rest of the string, from character n.
 * @options -q
 */
string s;

BEGIN
{
	s = "abcdef";
	printf("%s %s %s\n", s + 2, 3 + s, (s + 4) - 2);
	trace(s + 5);
	printf("\n%d %c %c\n", sizeof(s + 1) == sizeof(string), *(s + 1), (s + 1)[1]);
	printf("%d %d %s\n", strlen(s + 1), s + 2 == "cdef", strjoin(s + 3, probename + 4));
	s = s + 1;
	this->n = 2;
	s = s + this->n;
	@[s + 1] = count();
	printf("[%s] [%s] [%s]\n", s, s + 3, (probename + 1));
	x = "xyz" + 1;
	printf("%s\n", x);
	exit(0);
}
