/* Bit-fields of every width, between others: writing one changes no other, also where the next
 * member starts within the field's unit. In a union the bits after the field's own stay. */
#pragma D option quiet
struct packed {
	int a:20; char b; unsigned c:17; char d; long e:33; char f; long g:41; char h;
	unsigned long i:50; char j; long k:57; char l; int m:24; char n;
};
struct packed v;
self struct packed kept;
struct packed element[int];
union over { int field:20; unsigned char bytes[4]; };
union over u;
translator struct packed < int i > { a = i; b = i; c = i; e = i; i = i; };
BEGIN
{
	v.b = 1; v.d = 2; v.f = 3; v.h = 4; v.j = 5; v.l = 6; v.n = 7;
	v.a = -1; v.c = 131071; v.e = -4294967296; v.g = 1099511627775; v.i = -1; v.k = -2; v.m = -3;
	printf("%d %d %d %d %d %d %d\n", v.a, v.c, v.e, v.g, v.i, v.k, v.m);
	printf("%d%d%d%d%d%d%d\n", v.b, v.d, v.f, v.h, v.j, v.l, v.n);
	v.a = v.e = v.g = v.i = v.k = v.m = 0;
	v.b = v.d = v.f = v.h = v.j = v.l = v.n = -1;
	printf("%d %d %d %d %d %d %d\n", v.a, v.c, v.e, v.g, v.i, v.k, v.m);
}
BEGIN
{
	v.a = 524287; v.a++;
	v.e += 4294967295;
	v.g--;
	v.i |= 1125899906842624;
	v.k <<= 3;
	v.c -= 131072;
	printf("%d %d %d %d %d %d\n", v.a, v.e, v.g, v.i, v.k, v.c);
	printf("%d %d %d %d\n", x = v.a = 1048577, (v.m = 8388608) < 0, v.m++, --v.m);
	trace(v);
}
BEGIN
{
	self->kept = v;
	element[3] = self->kept;
	element[3].a -= 2;
	self->kept.e = element[3].a;
	printf("\n%d %d %d %d\n", self->kept.a, self->kept.e, element[3].a, element[3].b);
	element[4] = xlate <struct packed> (-1);
	printf("%d %d %d %d %d %d\n", element[4].a, element[4].b, element[4].c, element[4].d,
	    element[4].e, element[4].i);
}
BEGIN
{
	u.bytes[3] = 0xab;
	u.field = -1;
	printf("%x %x %d\n", u.bytes[3], u.bytes[2], u.field);
	u.bytes[2] = 7;
	printf("%d\n", u.field);
	exit(0);
}
