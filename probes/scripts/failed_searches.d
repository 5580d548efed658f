/*
 * failed_searches.d: which files were searched for and not found
 *
 * Question: What is loaded, and how long does it take?
 *
 *     $ vmtap trace failed_searches --lossless -c 'toy redefine.toy'
 *     WANTED  BY             LINE RAISED        FAILED      TIME us
 *     nowhere redefine.toy    116 LoadError          1           17
 *
 *     failed   1
 *     searches 1
 *
 * Reading: The name that was asked for, the file and line that asked, the class of the
 * exception that followed, how often, and the time that the searches took. A search has
 * failed if an exception is raised after it before a file is parsed; Python says so
 * itself, but not who asked. A program that tries one name after the other at each start
 * spends its time here. Then the number of failed searches and of all.
 *
 * Providers: vm, ruby, python.
 *
 * Cost: Two events for each search, one for each exception.
 */
#pragma D option quiet
#pragma D option anydefs

string origin[pid_t];

/* A VM may have the probes of several providers; those that fire first are used. */
*$target:::find-require-entry
/origin[pid] == NULL/
{
	origin[pid] = probeprov;
}

*$target:::find-require-entry
/probeprov == origin[pid]/
{
	self->since = timestamp;
}

*$target:::find-require-return
/probeprov == origin[pid] && self->since/
{
	self->wanted = copyinstr(arg0);
	self->file = copyinstr(arg1);
	self->line = arg2;
	self->took = timestamp - self->since;
	self->searched = 1;
	self->since = 0;
	@searches["searches"] = count();
}

/* The file that was found is parsed next; what is not found is an exception instead. */
*$target:::parse-begin
/probeprov == origin[pid]/
{
	self->searched = 0;
}

*$target:::raise
/probeprov == origin[pid] && self->searched/
{
	@failed[self->wanted, self->file, self->line, copyinstr(arg0)] = count();
	@time[self->wanted, self->file, self->line, copyinstr(arg0)] = sum(self->took / 1000);
	@searches["failed"] = count();
	self->searched = 0;
}

/* Python says whether it has found a module, but not who asked for it. */
python$target:::import-find-load-start
{
	self->began[++self->level] = timestamp;
}

python$target:::import-find-load-done
/self->level > 0/
{
	@searches["searches"] = count();
}

python$target:::import-find-load-done
/self->level > 0 && !(int)arg1/
{
	@failed[copyinstr(arg0), "(unknown)", 0, "ImportError"] = count();
	@time[copyinstr(arg0), "(unknown)", 0, "ImportError"] =
	    sum((timestamp - self->began[self->level]) / 1000);
	@searches["failed"] = count();
}

python$target:::import-find-load-done
/self->level > 0/
{
	self->began[self->level] = 0;
	self->level--;
}

END
{
	printf("%-32s %-24s %6s %-20s %10s %12s\n", "WANTED", "BY", "LINE", "RAISED", "FAILED",
	    "TIME us");
	printa("%-32s %-24s %6d %-20s %@10d %@12d\n", @failed, @time);
	printf("\n");
	printa("%-10s %@d\n", @searches);
}
