/*
 * Prefix ++ and -- give the new value, postfix the old one; they make a new variable, element,
 * self-> or this-> an int64_t; a pointer moves by the size of its object.
 * @options -q
 */
char c;
int array[3];

BEGIN
{
	printf("%d %d %d %d\n", x++, ++x, x--, --x);
	printf("%d %d %d\n", a["k"]++, ++self->y, this->z--);
	printf("%d %d %d %d\n", sizeof(x), sizeof(a["k"]), sizeof(self->y), sizeof(this->z));
	x = 0x100000000;
	printf("%d\n", x);
	c = 127;
	printf("%d %d\n", c++, c);
	this->p = &array[0];
	this->q = this->p++;
	printf("%d %d\n", this->p - this->q, (long)this->p - (long)this->q);
	exit(0);
}
