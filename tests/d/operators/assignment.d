/* Assignments have a value; op= needs a variable that exists */
#pragma D option quiet

BEGIN
{
	x = 10;
	x += 5;
	printf("%d\n", x);
	x -= 3;
	printf("%d\n", x);
	x *= 2;
	printf("%d\n", x);
	x /= 5;
	printf("%d\n", x);
	x %= 3;
	printf("%d\n", x);
	x <<= 4;
	printf("%d\n", x);
	x >>= 2;
	printf("%d\n", x);
	x |= 3;
	printf("%d\n", x);
	x &= 6;
	printf("%d\n", x);
	x ^= 5;
	printf("%d\n", x);
	y = z = x;
	printf("%d %d\n", y, z);
	exit(0);
}
