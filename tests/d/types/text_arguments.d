/* A probe's char * and the string of copyinstr() in one variable and as one key, in either order. */
#pragma D option quiet
#pragma D option aggsortkey
int declared[char *];
vm*:::method-entry
{
	self->first = args[0];
	self->second = copyinstr(arg0);
	last = args[1];
	by[args[0]]++;
	by_string[copyinstr(arg0)]++;
	declared[args[0]]++;
	@first[args[0]] = count();
	@second[copyinstr(arg0)] = count();
}
vm*:::method-entry
{
	printf("%s %s %s\n", stringof(self->first), self->second, stringof(last));
	self->first = copyinstr(arg1);
	self->second = args[1];
	last = strjoin(copyinstr(arg0), ".");
	@first[copyinstr(arg0)] = count();
	@second[args[0]] = count();
	by[copyinstr(arg0)]++;
	by_string[args[0]]++;
	declared[copyinstr(arg0)]++;
}
vm*:::native-entry
{
	printf("%s %s %s\n", stringof(self->first), self->second, stringof(last));
	printf("%d %d %d %d %d\n", by[args[0]], by_string[copyinstr(arg0)], declared[args[0]],
	    declared["A"], declared["none"]);
	p = args[0];
	@pointers[p] = count();
	@pointers[copyinstr(arg0)] = count();
	@pointers["A"] = count();
	printa("%@d\n", @pointers);
}
