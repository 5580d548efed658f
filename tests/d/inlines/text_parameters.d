/* Values and parameters of inlines that are texts: the argument is what the parameter's type says,
 * whatever kind of text it is. */
#pragma D option quiet
char *p;
char room[4];
inline char *pointer = probename;
inline string text = p;
inline char *literal = "literal";
inline int length[char *s] = strlen(s);
inline int same[string a, string b] = a == b;
inline int size[string s] = sizeof(s);
inline int first[char s[4]] = s[0];
inline int last[char s[4]] = s[3];
inline uint64_t is_null[char *s] = (uint64_t)s == 0;
inline string rest[string s, int n] = s + n;
inline int outer[char *s] = same[s, "BEGIN"] + length[s];
BEGIN
{
	p = pointer;
	printf("%s %s %s\n", stringof(p), text, stringof(pointer));
	p = literal;
	printf("%s %s %d\n", stringof(p), literal, sizeof(literal));
	p = probename;
	room[0] = 'a'; room[1] = 'b';
	printf("%d %d %d\n", length["abc"], length[p], length[room]);
	printf("%d %d %d %d\n", same[p, "BEGIN"], same[p, probename], same[p, p], same[room, "ab"]);
	printf("%d %d\n", size[p], size["abc"]);
	printf("%d %d %d %d\n", first["xyzw"], last["xyzwv"], first[room], last["x"]);
	printf("%d %d\n", is_null["x"], is_null[p]);
	printf("%s %s %s\n", rest[p, 1], rest[room, 1], rest["abc", 2]);
	printf("%d %d\n", outer["BEGIN"], outer[p]);
	exit(0);
}
