/*
 * The word after a type's name is a name, even if it is also that of a type; parameters and keys
 * may have names, register may precede parameters, and words of a type may be repeated.
 * @options -q
 */
typedef int foo;
struct s { foo foo; uint8_t uint16_t; };
int f(int id_t, register int pid_t, ...);
int g(...);
int a[int pid_t, string size_t];
struct s v;
unsigned unsigned long long int l;
signed signed char c;
short short h;
inline int plus[int uint8_t, int uint16_t] = uint8_t + uint16_t;
struct out { int m; };
translator struct out < int id_t > { m = id_t + 1; };

BEGIN
{
	a[1, "x"] = 5;
	v.foo = 6;
	v.uint16_t = 7;
	printf("%d %d %d %d\n", a[1, "x"], v.foo, v.uint16_t, plus[1, 2]);
	printf("%d %d %d\n", sizeof(l), sizeof(c), sizeof(h));
	printf("%d\n", xlate<struct out>(8).m);
	exit(0);
}
