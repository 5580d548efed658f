/*
 * Parameters are passed by name: an argument is evaluated at each use. They hide built-in
 * variables.
 * @options -q
 */
inline int twice[int a] = a + a;
inline int mixed[int pid, string s] = pid * 10 + strlen(s);
inline int through[int b] = twice[b + 1] + mixed[b, "xyz"];
inline string choose[int n] = n == 0 ? "none" : n == 1 ? "one" : "many";

BEGIN
{
	i = 5;
	printf("%d", twice[i++]);
	printf(" %d\n", i);
	printf("%d\n", mixed[4, "ab"]);
	printf("%d\n", through[1]);
	printf("%s %s %s\n", choose[0], choose[1], choose[2]);
	exit(0);
}
