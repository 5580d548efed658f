/*
 * faults_by_site.d: page faults by the line that allocates the memory
 *
 * Question: What does the program ask the kernel for?
 *
 *     $ vmtap trace faults_by_site --lossless -c 'toy json.toy'
 *     FILE       LINE CLASS            FAULTS
 *     json.toy     16 (string)              1
 *     json.toy    113 (string)              1
 *     ...
 *     json.toy     59 (hash)               28
 *     json.toy    142 (string)             60
 *     json.toy    102 (array)             200
 *     json.toy    110 (string)            332
 *     json.toy     33 (string)            335
 *     json.toy    108 (string)            724
 *     1797 page faults; 17 of them after their thread's last allocation
 *
 * Reading: A page fault is the first use of a page of memory: the kernel has to find the
 * page and to fill it, which takes about as long as a thousand instructions. It counts for
 * the allocation whose memory was touched if that is the thread's next one; else for the
 * thread's latest one, so code that fills a large object counts for the line that created
 * it. Faults of threads that have not allocated anything yet have the name -. In Python a
 * fault counts for the line that runs, and the function is shown instead of the class.
 *
 * Providers: vm, python.
 *
 * Cost: One event for each allocation, in Python one for each line and two for each call;
 * one for each page fault, which comes from the kernel and needs its privilege.
 */
#pragma D option quiet
#pragma D option anydefs

self string file;
self int line;
self string what;
self uint64_t address, bytes, faults;
uint64_t faults, counted;

sdt:::page_fault_user,
sdt:::page_fault_kernel
/pid == $target/
{
	faults++;
	this->is_latest = arg0 - self->address < self->bytes;
	self->faults += !this->is_latest;
	self->last = arg0;
}

sdt:::page_fault_user,
sdt:::page_fault_kernel
/pid == $target && this->is_latest/
{
	@[self->file, self->line, self->what] = sum(1);
	counted++;
}

/* What lies where is known once it has been allocated. */
vm$target:::object-create
{
	this->file = copyinstr(arg2);
	this->line = arg3;
	this->what = copyinstr(arg0);
	self->address = arg5;
	self->bytes = arg1;
}

vm$target:::array-create,
vm$target:::hash-create,
vm$target:::string-create
{
	this->file = copyinstr(arg1);
	this->line = arg2;
	this->what = probename == "array-create" ? "(array)"
	    : probename == "hash-create" ? "(hash)" : "(string)";
	self->address = arg6;
	self->bytes = arg3;
}

python$target:::line
{
	this->file = basename(copyinstr(arg0));
	this->line = arg2;
	this->what = copyinstr(arg1);
}

python$target:::function-entry
{
	self->level++;
	file[pid, tid, self->level] = self->file;
	line[pid, tid, self->level] = self->line;
	what[pid, tid, self->level] = self->what;
}

python$target:::function-return
/self->level/
{
	this->file = file[pid, tid, self->level];
	this->line = line[pid, tid, self->level];
	this->what = what[pid, tid, self->level];
	file[pid, tid, self->level] = 0;
	line[pid, tid, self->level] = 0;
	what[pid, tid, self->level] = 0;
	self->level--;
}

vm$target:::object-create,
vm$target:::array-create,
vm$target:::hash-create,
vm$target:::string-create,
python$target:::line,
python$target:::function-return
/self->faults/
{
	this->is_inside = self->last - self->address < self->bytes;
	this->at_file = this->is_inside ? this->file : self->file;
	this->at_what = this->is_inside ? this->what : self->what;
	@[this->at_file != NULL ? this->at_file : "-", this->is_inside ? this->line : self->line,
	    this->at_what != NULL ? this->at_what : "-"] = sum(self->faults);
	counted += self->faults;
	self->faults = 0;
}

vm$target:::object-create,
vm$target:::array-create,
vm$target:::hash-create,
vm$target:::string-create,
python$target:::line,
python$target:::function-return
{
	self->file = this->file;
	self->line = this->line;
	self->what = this->what;
}

END
{
	printf("%-32s %6s %-24s %12s\n", "FILE", "LINE", "CLASS", "FAULTS");
	printa("%-32s %6d %-24s %@12d\n", @);
	printf("%d page faults; %d of them after their thread's last allocation\n", faults,
	    faults - counted);
}
