/* Members and inputs of translators that are texts. */
#pragma D option quiet
struct out { int n; char *name; char room[4]; string text; };
translator struct out < int i > { n = i; name = probename; room = probeprov; text = "t"; };
translator struct out < char *s > { n = strlen(s); name = s; room = s; text = s; };
struct other { string text; char *name; };
translator struct other < string s > { text = s; name = s; };
struct out v, w;
char *p;
char four[4];
BEGIN
{
	p = xlate <struct out> (1).name;
	printf("%s %s %s\n", stringof(p), xlate <struct out> (1).room, xlate <struct out> (1).text);
	v = xlate <struct out> (7);
	printf("%d %d %s\n", xlate <struct out> ("four").n, strlen(xlate <struct out> (p).name),
	    xlate <struct out> (probename).room);
	w = xlate <struct out> ("whole");
	four[0] = 'f';
	printf("%s %s\n", xlate <struct other> (p).text, stringof(xlate <struct other> (four).name));
}
BEGIN
{
	printf("%d %s %s %s\n", v.n, stringof(v.name), v.room, v.text);
	printf("%d %s %s %s\n", w.n, stringof(w.name), w.room, w.text);
	exit(0);
}
