/* tracemem(): the third argument limits the bytes that are shown, unless it is negative. */
BEGIN
{
	this->p = (char *)alloca(20);
	this->p[0] = 'a';
	this->p[19] = 'z';
	this->none = 0;
	this->all = -1;
	tracemem(this->p, 20);
	tracemem(this->p, 20, 3);
	tracemem(this->p, 20, this->none);
	tracemem(this->p, 17, this->all);
	tracemem(this->p, 2, 20);
}

BEGIN
{
	exit(0);
}
