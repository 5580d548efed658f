/* strjoin and strlen */
#pragma D option quiet

BEGIN
{
	this->s = strjoin("abc", strjoin("-", "def"));
	printf("%s %d\n", this->s, strlen(this->s));
	printf("%d\n", strlen(""));
	exit(0);
}
