/*
 * An inline of a translation, like the built-in curpsinfo.
 * @options -q
 */
typedef struct out {
	int sum;
	pid_t own;
} out_t;

translator out_t < int n > {
	sum = n + 1;
	own = pid;
};

inline out_t *CURRENT = xlate <out_t *> (41);
inline out_t OF[int n] = xlate <out_t> (n * 2);

BEGIN
{
	printf("%d %d\n", CURRENT->sum, CURRENT->own == $pid);
	printf("%d\n", OF[4].sum);
	exit(0);
}
