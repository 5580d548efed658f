/*
 * char * and char[] can be used like strings: compared, passed, assigned, converted.
 * @options -q
 */
char text[8];
string s;

BEGIN
{
	text[0] = 'a'; text[1] = 'b'; text[2] = 'c';
	printf("%d %d %d\n", text == "abc", text < "abd", strlen(text));
	s = text;
	printf("%s %s\n", s, stringof(text));
	this->p = (char *)alloca(4);
	this->p[0] = 'x'; this->p[1] = 'y'; this->p[2] = 0;
	printf("%d %s %s %d\n", this->p == "xy", stringof(this->p), strjoin(this->p, text),
	    sizeof(stringof(text)));
	printf("%s\n", (string)this->p);
	s = this->p;
	printf("%s\n", s);
	exit(0);
}
