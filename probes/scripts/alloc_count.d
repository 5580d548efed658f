/*
 * alloc_count.d: where objects are allocated, for VMs that do not tell their sizes
 *
 * Question: What is allocated, where, and by whom?
 *
 *     $ vmtap trace alloc_count --lossless -c 'toy redefine.toy'
 *     FILE           LINE CLASS                 OBJECTS  SHARE
 *     redefine.toy      4 Thread                      1     0%
 *     redefine.toy      6 (string)                    1     0%
 *     redefine.toy      9 Error                       1     0%
 *     ...
 *     redefine.toy     64 (string)                   41     0%
 *     redefine.toy    109 (string)                  271     1%
 *     redefine.toy     21 ArgumentError            2001    10%
 *     redefine.toy     85 Square                   3000    16%
 *     redefine.toy     21 (string)                 6004    32%
 *     redefine.toy     44 Square                   7000    38%
 *
 * Reading: The number of objects by line and class, and its share. Arrays, hashes and
 * strings are shown as (array), (hash) and (string).
 *
 * Providers: vm, ruby.
 *
 * Cost: One event for each allocation.
 */
#pragma D option quiet

string origin[pid_t];
uint64_t objects;

/* A VM may have the probes of several providers; those that fire first are counted. */
*$target:::[aohs]*-create
/origin[pid] == NULL/
{
	origin[pid] = probeprov;
}

/* object-create of ruby has no size before the file. */
*$target:::object-create
/probeprov == origin[pid]/
{
	this->ruby = strstr(probeprov, "ruby") == probeprov;
	this->file = this->ruby ? copyinstr(arg1) : copyinstr(arg2);
	this->line = this->ruby ? arg2 : arg3;
	@objects[this->file, this->line, copyinstr(arg0)] = count();
	@share[this->file, this->line, copyinstr(arg0)] = sum(100);
	objects++;
}

*$target:::array-create,
*$target:::hash-create,
*$target:::string-create
/probeprov == origin[pid]/
{
	this->kind = probename == "array-create" ? "(array)" :
	    probename == "hash-create" ? "(hash)" : "(string)";
	@objects[copyinstr(arg1), arg2, this->kind] = count();
	@share[copyinstr(arg1), arg2, this->kind] = sum(100);
	objects++;
}

END
{
	normalize(@share, objects ? objects : 1);
	printf("%-32s %6s %-24s %12s %6s\n", "FILE", "LINE", "CLASS", "OBJECTS", "SHARE");
	printa("%-32s %6d %-24s %@12d %@5d%%\n", @objects, @share);
}
