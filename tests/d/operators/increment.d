/* ++ and -- before and after */
#pragma D option quiet

BEGIN
{
	printf("%d\n", n++);
	printf("%d\n", n);
	printf("%d\n", ++n);
	printf("%d\n", n--);
	printf("%d\n", --n);
	a["k"]++;
	printf("%d\n", a["k"]++ + a["k"]);
	exit(0);
}
