/* Keys that are texts of another kind than those of the first use or of the declaration. */
#pragma D option quiet
#pragma D option aggsortkey
int by_pointer[char *], by_array[char [4]], by_string[string];
self int own[char *, int];
char *p;
char room[4], wide[8];
BEGIN
{
	room[0] = 'a'; room[1] = 'b';
	wide[0] = 'a'; wide[1] = 'b';
	p = "ab";
	by_pointer["ab"] = 1; by_pointer[p]++; by_pointer[strjoin("a", "b")]++;
	by_array["ab"] = 1; by_array[p]++; by_array[room]++; by_array[wide]++;
	by_string["ab"] = 1; by_string[p]++; by_string[room]++; by_string[wide]++;
	self->own["ab", 1] = 1; self->own[p, 1]++;
	printf("%d %d %d %d\n", by_pointer["ab"], by_array["ab"], by_string["ab"], self->own["ab", 1]);
	printf("%d %d\n", by_array["abcdef"], by_pointer["b"]);
	@array[room] = count(); @array["ab"] = count(); @array[p] = count(); @array[wide] = count();
	@array["longer"] = count();
	@text["ab"] = count(); @text[room] = count(); @text[p] = count();
}
BEGIN
{
	printf("%d %d\n", by_pointer["ab"], by_array["ab"]);
	by_pointer[p] = 0;
	printf("%d\n", by_pointer["ab"]);
	exit(0);
}
