/* Pointers count in objects; comparisons of pointers are unsigned. */
#pragma D option quiet
int a[5];
BEGIN
{
	this->p = &a[1];
	*this->p = 10;
	*(this->p + 1) = 20;
	this->p[2] = 30;
	this->q = this->p + 3;
	*this->q = 40;
	printf("%d %d %d %d\n", a[1], a[2], a[3], a[4]);
	printf("%d %d\n", this->q - this->p, this->q > this->p);
	this->p++;
	printf("%d %d\n", *this->p, *--this->p);
	this->q -= 2;
	printf("%d %d\n", *this->q, this->q == &a[2]);
	printf("%d\n", *(2 + a));
	exit(0);
}
