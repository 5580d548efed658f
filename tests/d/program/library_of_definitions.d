/*
 * Later programs of the command line may use what an earlier one defines.
 * @options -q -n 'BEGIN { v.a = TWICE[21]; printf("%d %s\n", v.a, xlate<struct s>(7).t); exit(0); }'
 */
struct s { int a; string t; };
struct s v;
inline int TWICE[int x] = x * 2;
translator struct s < int N > { t = lltostr(N); };

BEGIN
{
}
