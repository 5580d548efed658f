/* A script may translate its own numbers to the types of the library. */
#pragma D option quiet

translator psinfo_t < int NUMBER > {
	pr_pid = NUMBER;
	pr_fname = "mine";
};
translator lwpsinfo_t < long NUMBER > {
	pr_lwpid = NUMBER + 1;
};

BEGIN
{
	printf("%d %s", xlate <psinfo_t> (7).pr_pid, xlate <psinfo_t *> (7)->pr_fname);
	printf(" %d %d\n", xlate <lwpsinfo_t> (7L).pr_lwpid, curpsinfo->pr_pid == $pid);
	exit(0);
}
