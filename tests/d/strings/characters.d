/* s[n] and *s are characters: chars, 0 from the end of the string to strsize. */
#pragma D option quiet

string none[int];

BEGIN
{
	s = "abc\377";
	i = 2;
	printf("%c %c %c %d %d %d\n", s[0], s[i], *s, s[3], s[4], s[256]);
	printf("%d %c %d\n", sizeof(s[0]), probename[1], "xyz"[i - 1] == 'y');
	a["k"] = "text";
	printf("%c %c\n", a["k"][1], *a["k"]);
	printf("%d\n", s[0] + s[1] - s[i]);
}

BEGIN { trace(s[257]); }
BEGIN { i = -1; trace(s[i]); }
BEGIN { trace(none[1][0]); }
BEGIN { trace(*none[1]); }
BEGIN { exit(0); }

ERROR
{
	printf("fault %d, value %d\n", arg4, arg5);
}
