/*
 * A member is computed when it is read, with the translated value in place of the
 * translator's parameter, which hides a built-in variable. If a member is given twice,
 * the first one counts.
 * @options -q
 */
struct out {
	int sum;
	string who;
	long unused;
	pid_t own;
};

translator struct out < int pid > {
	sum = pid + pid;
	sum = pid * 100;
	who = pid == 3 ? "three" : "other";
};

BEGIN
{
	i = 3;
	printf("%d %s\n", xlate <struct out> (i).sum, xlate <struct out *> (i)->who);
	printf("%s\n", xlate <struct out> (i + 1).who);
	printf("%d", xlate <struct out> (i++).sum);
	printf(" %d\n", i);
	exit(0);
}
