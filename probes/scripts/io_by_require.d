/*
 * io_by_require.d: what the kernel does to load each file: opens, bytes, and time in calls
 *
 * Question: What does the program ask the kernel for?
 *
 *     $ vmtap trace io_by_require --lossless -c 'toy redefine.toy' us
 *     WHAT       LOADS  OPENS        BYTES    FROM DISK      TIME us
 *     nowhere        1      0            0            0           13
 *     lib/scale      3      3          600            0           28
 *
 * Reading: The files that were opened and the bytes that were read while a file or module
 * was loaded, and the time that its thread spent in system calls for that. What a loaded
 * file loads itself counts for that file alone. Bytes from disk are those that the thread
 * has asked a device for, when the file was not in memory. Native extensions are mapped, so
 * their bytes are not read. Times are in ns; the argument us, ms or s gives another unit.
 *
 * Providers: vm, ruby, python.
 *
 * Cost: Two events for each load and for each system call; those of calls come from the
 * kernel and need its privilege.
 */
#pragma D option quiet
#pragma D option defaultargs
#pragma D option anydefs

inline string unit = $$1 == "us" || $$1 == "ms" || $$1 == "s" ? $$1 : "ns";
inline uint64_t scale = $$1 == "us" ? 1000 : $$1 == "ms" ? 1000000 : $$1 == "s" ? 1000000000 : 1;

string origin[pid_t];

/* A VM may have the probes of several providers; those that fire first are used. */
vm$target:::require-entry,
vm$target:::load-entry,
ruby$target:::require-entry,
ruby$target:::load-entry,
python$target:::import-find-load-start
/origin[pid] == NULL/
{
	origin[pid] = probeprov;
}

vm$target:::require-entry,
vm$target:::load-entry,
ruby$target:::require-entry,
ruby$target:::load-entry,
python$target:::import-find-load-start
/probeprov == origin[pid]/
{
	self->level++;
	self->what = copyinstr(arg0);
	outer[pid, tid, self->level] = self->what;
	@loads[self->what] = count();
}

vm$target:::require-return,
vm$target:::load-return,
ruby$target:::require-return,
ruby$target:::load-return,
python$target:::import-find-load-done
/self->level && probeprov == origin[pid]/
{
	outer[pid, tid, self->level] = 0;
	self->level--;
	self->what = outer[pid, tid, self->level];
}

syscall:::entry
/pid == $target && self->level/
{
	self->called = timestamp;
}

syscall:::return
/pid == $target && self->called && self->level/
{
	@time[self->what] = sum(timestamp - self->called);
	self->called = 0;
}

syscall::open:return,
syscall::openat:return,
syscall::openat2:return
/pid == $target && self->level && (int)arg0 >= 0/
{
	@opens[self->what] = count();
}

syscall::read:return,
syscall::pread64:return,
syscall::readv:return
/pid == $target && self->level && (long)arg0 > 0/
{
	@bytes[self->what] = sum(arg0);
}

io:::start
/pid == $target && self->level && args[0]->b_flags & B_READ/
{
	@disk[self->what] = sum(args[0]->b_bcount);
}

END
{
	normalize(@time, scale);
	printf("%-36s %6s %6s %12s %12s %12s\n", "WHAT", "LOADS", "OPENS", "BYTES", "FROM DISK",
	    strjoin("TIME ", unit));
	printa("%-36s %@6d %@6d %@12d %@12d %@12d\n", @loads, @opens, @bytes, @disk, @time);
}
