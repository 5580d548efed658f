/*
 * memref: a block with an address and a size. memstr: memory as a string whose last byte becomes
 * the terminator, with a character in place of NULs; NULL if there are no bytes.
 * @options -q
 */
BEGIN
{
	this->words = (char *)alloca(16);
	this->words[0] = this->words[1] = 'a';
	this->words[4] = this->words[6] = 'b';
	this->pair = memref(this->words, 7);
	printf("%d %d\n", this->pair[0] == (uintptr_t)this->words, this->pair[1]);
	printf("[%s]", memstr(this->words, ' ', 8));
	printf(" [%s]", memstr((char *)this->pair[0], ',', this->pair[1]));
	printf(" [%s] [%s]", memstr(this->words, '-', 4), memstr(this->words, ' ', 1));
	printf(" [%s] %d\n", memstr(this->words, 0, 8), memstr(this->words, ' ', 0) == NULL);
	this->pair[1] = 3;
	printf("%d\n", *(this->pair + 1));
}

/* Invalid memory faults. */
BEGIN
{
	printf("[%s]\n", memstr((char *)alloca(4), 'x', 6));
}

BEGIN
{
	exit(0);
}
