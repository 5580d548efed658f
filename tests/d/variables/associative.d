/* Keys of any number and kind; storing a literal 0 removes an element. */
#pragma D option quiet

BEGIN
{
	a[1, "x"] = 10;
	a[1, "y"] = 20;
	a[2, "x"] = 30;
	b["a", 1, 2, 3] = "text";
	printf("%d %d %d %d\n", a[1, "x"], a[1, "y"], a[2, "x"], a[2, "y"]);
	printf("%s\n", b["a", 1, 2, 3]);
	a[1, "x"] = 0;
	a[1, "y"] += 5;
	printf("%d %d\n", a[1, "x"], a[1, "y"]);
	exit(0);
}
