/* Strings, char pointers and char arrays pass as each other, in assignments of every kind of
 * variable, in members and elements, and what a pointer was given stays for other clauses. */
#pragma D option quiet
char *global;
self char *own;
this char *local;
char *elements[int];
char *pair[2];
struct holder { int n; char *name; string text; } holder;
struct holder holders[string];
char room[8];
string s;
int i;
BEGIN
{
	global = probename;
	self->own = strjoin("self of ", probename);
	this->local = "literal";
	elements[1] = substr("an element", 3);
	pair[1] = global == NULL ? "NULL" : strjoin(probeprov, "!");
	holder.name = probeprov;
	holders["a"].name = toupper("held");
	self->copied = global;
	room[0] = 'r'; room[1] = 'm';
	*(pair + 0) = room;
}
BEGIN
{
	printf("%s %s %s %s %s %s %s %s\n", stringof(global), stringof(self->own),
	    stringof(this->local), stringof(elements[1]), stringof(pair[1]), stringof(holder.name),
	    stringof(holders["a"].name), stringof(self->copied));
	printf("%s %d %c %c %d\n", stringof(pair[0]), strlen(global), global[1], *(self->own + 5),
	    index(self->own, "of"));
	printf("%d %d %d %d\n", global == "BEGIN", "BEGIN" == global, global == self->copied,
	    global < "C");
}
BEGIN
{
	s = global;
	holder.text = self->own;
	holder.text = room;
	printf("%s %s\n", s, holder.text);
	s = 1 ? room : "x";
	s = self->own == NULL ? "x" : room;
	printf("%s %s\n", s, i == 0 ? global : "y");
	global = s = "both";
	printf("%s %s\n", s, stringof(global));
	s = global = "again";
	printf("%s %s\n", s, stringof(global));
}
BEGIN
{
	self->m = global;
	self->m = strjoin("then ", "a string");
	self->k = strjoin("first ", "a string");
	self->k = global;
	global = 0;
	elements[1] = 0;
	self->own = NULL;
}
BEGIN
{
	printf("%s, %s, %d %d %d\n", stringof(self->m), self->k, global == NULL,
	    elements[1] == NULL, self->own == NULL);
	s = NULL;
	global = s;
	printf("%d\n", global == 0);
}
BEGIN
{
	global = "x";
	i = 2;
	trace(global[i]);
}
BEGIN
{
	s = NULL;
	global = s;
	trace(stringof(global));
}
BEGIN
{
	exit(0);
}
