/* The first store creates struct elements and self-> variables; absent ones read as zeroes;
 * storing 0 frees them. */
#pragma D option quiet
struct pair { int a; string s; };
struct pair elements[int, string];
self struct pair mine;
self struct pair many[int];
BEGIN
{
	printf("%d\n", elements[1, "a"].a + self->mine.a);
	elements[1, "a"].a = 5;
	elements[1, "b"].s = "text";
	self->mine.s = probename;
	self->many[3].a += 2;
	printf("%d %s %s %d\n", elements[1, "a"].a, elements[1, "b"].s, self->mine.s,
	    self->many[3].a);
	elements[1, "b"] = 0;
	self->mine = 0;
	printf("%d %d\n", strlen(elements[1, "b"].s), strlen(self->mine.s));
	exit(0);
}
