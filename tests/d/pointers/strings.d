/* A string can be read by its characters, and as a pointer to the rest of it. */
#pragma D option quiet
BEGIN
{
	s = "hello";
	printf("%c %c %d\n", s[1], *s, s[5]);
	printf("%s %s\n", stringof(s + 2), stringof(&s[3]));
	this->p = &s[1];
	printf("%c %c\n", *this->p, this->p[3]);
	exit(0);
}
