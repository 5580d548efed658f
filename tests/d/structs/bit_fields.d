/* A bit-field is truncated to its bits when it is stored and sign-extended when it is read.
 * It has a unit of its own, never shared, even without a name; :0 has no effect. */
#pragma D option quiet
struct bits { int a:3; unsigned b:3; int :0; long c:33; unsigned d:17; };
struct bits v;
struct gap { char before; int :9; char behind; int :3; int :0; };
BEGIN
{
	v.a = 5; v.b = 13; v.c = -1; v.d = 70000;
	printf("%d %d %d %d\n", v.a, v.b, v.c, v.d);
	v.a++; v.b += 4; v.d <<= 1;
	printf("%d %d %d\n", v.a, v.b, v.d);
	printf("%d\n", sizeof(struct bits));
	printf("%d %d\n", offsetof(struct gap, behind), sizeof(struct gap));
	exit(0);
}
