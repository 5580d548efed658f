/*
 * Operands are evaluated from left to right; for = the right side first, then the key on the left.
 * @options -q
 */
BEGIN
{
	n = 10;
	printf("%d\n", n++ * 100 + n++);
	printf("%d\n", n++ - n);
	n = 7;
	a[n++] = n++;
	printf("%d %d %d\n", a[7], a[8], n);
	n = 5;
	this->x = (n++, n);
	printf("%d\n", this->x);
	exit(0);
}
