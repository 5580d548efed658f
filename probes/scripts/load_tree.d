/*
 * load_tree.d: which file loads which, as a tree with times
 *
 * Question: What is loaded, and how long does it take?
 *
 *     $ vmtap trace load_tree --lossless -c 'toy redefine.toy' us
 *            TIME us  WHAT, AND WHO ASKED FOR IT
 *                132  parse redefine.toy
 *                     load lib/scale (redefine.toy:82)
 *                  7    parse lib/scale.toy
 *                 21  load lib/scale has ended
 *                     load lib/scale (redefine.toy:82)
 *                  4    parse lib/scale.toy
 *                 13  load lib/scale has ended
 *                     load lib/scale (redefine.toy:82)
 *                  3    parse lib/scale.toy
 *                 10  load lib/scale has ended
 *                     require nowhere (redefine.toy:116)
 *                 19  require nowhere has ended
 *
 * Reading: A line where a file asks for another, with the file and line that ask, and one
 * where that has ended, with the time it took. Python does not say who asks. What is
 * between the two belongs to it: parsing, and the files that are loaded from there. Times
 * are in ns; the argument us, ms or s gives another unit.
 *
 * Providers: vm, ruby, python, php.
 *
 * Cost: Two events for each file that is asked for, and two for each that is parsed; PHP,
 * also two for each call.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option anydefs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

string origin[pid_t];

/* A VM may have the probes of several providers; those that fire first are used. */
*$target:::require-entry,
*$target:::load-entry,
*$target:::parse-begin
/origin[pid] == NULL/
{
	origin[pid] = probeprov;
}

BEGIN
{
	printf("%14s  %s\n", strjoin("TIME ", unit), "WHAT, AND WHO ASKED FOR IT");
}

*$target:::require-entry,
*$target:::load-entry
/probeprov == origin[pid]/
{
	this->level = ++self->level;
	self->start[self->level] = timestamp;
	printf("%14s  %*s%s %s (%s:%d)\n", "", 2 * (this->level - 1), "",
	    probename == "load-entry" ? "load" : "require", copyinstr(arg0), copyinstr(arg1), arg2);
}

*$target:::require-return,
*$target:::load-return
/probeprov == origin[pid] && self->level > 0/
{
	printf("%14d  %*s%s %s has ended\n", (timestamp - self->start[self->level]) / scale,
	    2 * (self->level - 1), "", probename == "load-return" ? "load" : "require",
	    copyinstr(arg0));
	self->start[self->level] = 0;
	self->level--;
}

*$target:::parse-begin
/probeprov == origin[pid]/
{
	self->parse = timestamp;
}

/* Python says neither who imports nor where. */
python$target:::import-find-load-start
{
	this->level = ++self->level;
	self->start[this->level] = timestamp;
	printf("%14s  %*simport %s\n", "", 2 * (this->level - 1), "", copyinstr(arg0));
}

python$target:::import-find-load-done
/self->level > 0/
{
	printf("%14d  %*simport %s %s\n", (timestamp - self->start[self->level]) / scale,
	    2 * (self->level - 1), "", copyinstr(arg0), (int)arg1 ? "has ended" : "has failed");
	self->start[self->level] = 0;
	self->level--;
}

/* In PHP, the code of a file is the function main; files are parsed when they are asked for. */
php$target:::function-entry
/copyinstr(arg0) == "main"/
{
	this->level = ++self->level;
	self->start[this->level] = timestamp;
	printf("%14s  %*sload %s\n", "", 2 * (this->level - 1), "", copyinstr(arg1));
}

php$target:::function-return
/copyinstr(arg0) == "main" && self->level > 0/
{
	printf("%14d  %*sload %s has ended\n", (timestamp - self->start[self->level]) / scale,
	    2 * (self->level - 1), "", copyinstr(arg1));
	self->start[self->level] = 0;
	self->level--;
}

php$target:::compile-file-entry
{
	self->parse = timestamp;
}

php$target:::compile-file-return
/self->parse && copyinstr(arg1) != ""/
{
	printf("%14d  %*sparse %s\n", (timestamp - self->parse) / scale, 2 * self->level, "",
	    copyinstr(arg1));
	self->parse = 0;
}

*$target:::parse-end
/probeprov == origin[pid] && self->parse/
{
	printf("%14d  %*sparse %s\n", (timestamp - self->parse) / scale, 2 * self->level, "",
	    copyinstr(arg0));
	self->parse = 0;
}
