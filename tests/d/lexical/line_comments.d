// Comments up to the end of the line stand wherever the others do /* also with this
#!/usr/sbin/dtrace -s // in it
#pragma D option quiet

BEGIN // before the body
/ 8 / 2 // inside the predicate: no division by what follows
  == 4 / // behind it
{ // the body
	printf("%d // in a string\n", 1 // in an expression
		+ 2); // */ and // again
	self->// between the arrow and the member
		x = 1 /* either // kind */ + 1;
	trace(self->x);
	exit(0); // the last line has no end
}
// end