/*
 * A pointer to strings steps by sizeof (string), which is strsize where it is compiled; a pointer
 * to strings of an array or struct steps by the size that they were declared with.
 * @options -q -n '#pragma D option strsize=64'$'\n''END { this->p = &words[0]; printf("%d %d %s %s\n", sizeof (words), sizeof (words[0]), *(words + 2), this->p[1]); this->p++; printf("%s %d\n", *this->p, &words[2] - this->p); this->q = (string *)0; printf("%d %d\n", sizeof (string), (uintptr_t)(this->q + 1)); this->word = words[1]; printf("%d\n", sizeof (this->word)); }'
 */
string words[3];

BEGIN
{
	words[0] = "one";
	words[1] = "two";
	words[2] = "three";
	this->p = &words[0];
	printf("%s %s %d\n", *(this->p + 1), this->p[2], &words[2] - &words[0]);
	this->q = (string *)0;
	printf("%d %d\n", sizeof (string), (uintptr_t)(this->q + 1));
	exit(0);
}
