/* A character of a this-> string can be stored: it changes the variable's own text, of strsize bytes, and no
 * string that was taken from it. What follows a NUL shows again when the NUL is overwritten. */
#pragma D option quiet
this string s;
BEGIN
{
	this->s = "abcdef"; this->b = this->s;
	this->s[0] = 'A'; this->s[1]++; this->s[2] -= 32; *this->s = 'X';
	printf("%s %s %d\n", this->s, this->b, strlen(this->s));
	this->s[3] = '\0';
	printf("%s|%d|", this->s, this->s[3] = 0);
	this->s[3] = '-';
	printf("%s\n", this->s);
	this->s[6] = 'g'; this->s[8] = 'i';
	printf("%s|", this->s);
	this->s[7] = 'h';
	printf("%s %c\n", this->s, this->s[2] = 'z');
	this->s = "new"; this->s[4] = '!'; printf("%s\n", this->s);
	this->s[3] = 'x'; printf("%s\n", this->s);
	this->class = stringof("klass/and more"); this->n = 5; this->class[this->n] = '\0';
	printf("%s %d\n", this->class, this->class[this->n++]++);
	printf("%s %d %d\n", this->class, this->n, this->class[5]--);
}
BEGIN { this->s[0] = 'N'; printf("%s\n", this->s); this->s[256] = 'x'; this->s[257] = 'y'; }
BEGIN { this->s = NULL; this->s[3] = 'x'; }
BEGIN { this->s = ""; this->s[0] = 'q'; printf("%s\n", this->s); this->s[0] = 0; printf("[%s]\n", this->s); exit(0); }
