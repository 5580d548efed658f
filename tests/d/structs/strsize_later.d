/* Members and elements keep the strsize that their type was declared with. */
#pragma D option quiet
#pragma D option strsize=8
#pragma D option scratchsize=8k

struct note {
	int before;
	string text;
	int between;
	string many[2];
	int behind;
};
struct note note;
struct note notes[int];

#pragma D option strsize=64

BEGIN
{
	note.between = 1;
	note.behind = 2;
	note.text = "twelve bytes";
	note.many[0] = note.text;
	this->last = 1;
	note.many[this->last] = "another text";
	printf("%s %d %s %s %d\n", note.text, note.between, note.many[0], note.many[1],
	    note.behind);
	notes[1] = note;
	printf("%s %d\n", notes[1].many[this->last], notes[1].behind);
	this->note = (struct note *)alloca(sizeof (struct note));
	this->note->behind = 3;
	this->note->many[this->last] = "another text";
	printf("%s %d\n", this->note->many[1], this->note->behind);
	print(this->note);
	words = "a string that is no part of anything";
	printf("%s\n", words);
	exit(0);
}
