#!/bin/bash
# Provider io, against a program that reads its file past the page cache, and provider sdt.
# tests: src/kernel/machine/provider_io.c src/kernel/machine/provider_sdt.c
set -u
. tests/e2e/common
need_kernel

# The blocks of the file are the program's alone, so that no other requests are shown, whichever
# thread of the kernel gives them to the device.
cat >"$directory/blocks.c" <<'C'
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BYTES = 4096, BLOCKS = 32 };

/* FILE: writes it; prints its device, its first sector and the number of its blocks in a row. FILE
 * BLOCKS: reads and then writes each of them. */
int main(int argc, char **argv)
{
	int file = open(argv[1], O_RDWR | O_CREAT | (argc > 2 ? O_DIRECT : 0), 0600), blocks;
	struct {
		struct fiemap map;
		struct fiemap_extent extent;
	} places = {.map = {.fm_length = ~0ull, .fm_flags = FIEMAP_FLAG_SYNC, .fm_extent_count = 1}};
	struct stat status;
	char *buffer;

	if (file < 0 || posix_memalign((void **)&buffer, BYTES, BYTES * BLOCKS))
		return 77;
	memset(buffer, 'x', BYTES * BLOCKS);
	if (argc == 2) {
		if (write(file, buffer, BYTES * BLOCKS) != BYTES * BLOCKS || fsync(file) ||
			ioctl(file, FS_IOC_FIEMAP, &places) || !places.map.fm_mapped_extents ||
			fstat(file, &status))
			return 77;
		printf("%u %llu %llu\n", (unsigned)status.st_dev,
			(unsigned long long)places.extent.fe_physical / 512,
			(unsigned long long)places.extent.fe_length / BYTES);
		return 0;
	}
	blocks = atoi(argv[2]);
	for (int i = 0; i < blocks; i++)
		if (pread(file, buffer, BYTES, (off_t)i * BYTES) != BYTES)
			return 1;
	for (int i = 0; i < blocks; i++)
		if (pwrite(file, buffer, BYTES, (off_t)i * BYTES) != BYTES)
			return 1;
	return 0;
}
C
$CC -O1 -o "$directory/blocks" "$directory/blocks.c" || fail "compiling"
"$directory/blocks" "$directory/file" >"$directory/place" && read -r device first blocks <"$directory/place" &&
	[ "$first" -gt 0 ] && "$directory/blocks" "$directory/file" 1 ||
	{ echo "the file system says nothing of a file's blocks"; exit 77; }
name=$(basename "$(readlink -f "/sys/dev/block/$((device >> 8)):$((device & 255))")")
# Sectors of a partition count from its beginning.
[ -n "$name" ] && [ ! -e "/sys/class/block/$name/partition" ] || { echo "the file is on a partition"; exit 77; }

# The guide's scripts iosnoop, with times, whoio, and copy.
cat >"$directory/io.d" <<'D'
io:::start /args[0]->b_blkno >= $1 && args[0]->b_blkno < $2/
{
	start[args[0]->b_edev, args[0]->b_blkno] = timestamp;
	@bytes[args[1]->dev_statname, args[0]->b_flags & B_READ ? "R" : "W"] = sum(args[0]->b_bcount);
	@[probename] = count();
}
io:::done /start[args[0]->b_edev, args[0]->b_blkno]/
{
	@time = quantize(timestamp - start[args[0]->b_edev, args[0]->b_blkno]);
	this->elapsed = timestamp - start[args[0]->b_edev, args[0]->b_blkno];
	@speed[args[1]->dev_statname, args[1]->dev_pathname] =
		quantize((args[0]->b_bcount * 976562) / this->elapsed);
	@slowest = min((args[0]->b_bcount * 976562) / this->elapsed);
	start[args[0]->b_edev, args[0]->b_blkno] = 0;
	@[probename] = count();
}
io:::start /args[0]->b_blkno >= $1 && args[0]->b_blkno < $2/
{
	printf("%s %s %d %s %d:%d %d %s %s\n", args[1]->dev_statname, args[0]->b_flags & B_READ ? "R" : "W",
		args[0]->b_bcount, args[1]->dev_pathname, args[1]->dev_major, args[1]->dev_minor,
		getmajor(args[0]->b_edev) == args[1]->dev_major, args[2]->fi_pathname, args[2]->fi_fs);
}
io:::start /args[0]->b_blkno >= $1 && args[0]->b_blkno < $2/
{
	@who[args[1]->dev_statname, execname, pid] = sum(args[0]->b_bcount);
	@driver[args[1]->dev_name, args[0]->b_iodone != NULL] = count();
}
END
{
	printa("%s %@d\n", @);
	printa("%s %s %@d\n", @bytes);
	printa("slowest %@d\n", @slowest);
	printa("driver %s %d %@d\n", @driver);
	printa("%10s %20s %10d %15@d\n", @who);
	printa(" %s (%s)\n%@d\n", @speed);
}
D
run 0 trace -q -s "$directory/io.d" -c "$directory/blocks $directory/file $blocks" "$first" $((first + 8 * blocks))
has_not err 'drop|error'
has out "^start $((2 * blocks))\$"
# Kernels do not report all completions: bpftrace counts fewer of them than of requests, too.
finished=$(sed -n 's/^done //p' "$directory/out")
[ "$finished" -ge "$blocks" ] && [ "$finished" -le $((2 * blocks)) ] || fail "done $finished of $((2 * blocks))"
driver="<unknown>"
[ ! -e "/sys/class/block/$name/device/driver" ] || driver=$(basename "$(readlink -f "/sys/class/block/$name/device/driver")")
has out "^driver $driver 1 $((2 * blocks))\$"
# Throughput in KB a second, of each request that is known to have finished.
has out "^ $name \(/dev/$name\)\$"
[ "$(awk '/^ [^ ]* \(.*\)$/ { rows = 1 } rows && /\|/ { sum += $NF } rows && sum && !NF { rows = 0 } END { print sum + 0 }' "$directory/out")" = "$finished" ] ||
	fail "copy"
[ "$(sed -n 's/^slowest //p' "$directory/out")" -ge 1 ] || fail "copy: the slowest request"
# Kernel threads may submit requests for the program; the bytes of all together are counted.
[ "$(awk -v name="$name" 'NF == 4 && $1 == name && $3 ~ /^[0-9]+$/ && $4 ~ /^[0-9]+$/ { sum += $4 } END { print sum + 0 }' "$directory/out")" = $((2 * 4096 * blocks)) ] ||
	fail "whoio"
has out "^$name R $((4096 * blocks))\$"
has out "^$name W $((4096 * blocks))\$"
line="$name R 4096 /dev/$name $((device >> 8)):$((device & 255)) 1 <unknown> <none>"
[ "$(grep -cFx "$line" "$directory/out")" = "$blocks" ] || fail "not $blocks lines '$line'"
run 0 trace -l -n 'io:::'
has err '^vmtap: io:::wait-done cannot be traced: the kernel has no tracepoint that says'

# Provider sdt: all tracepoints, with the types of their arguments.
run 0 trace -l -n 'sdt:::'
[ "$(grep -c ' sdt ' "$directory/out")" -ge 500 ] || fail "few tracepoints"
run 0 trace -lv -n 'sdt:vmlinux::sched_process_fork'
has out '^		args\[1\]: struct task_struct \*$'
has out '^		Identifier Names: Private$'
run 0 trace -q -c "$directory/blocks $directory/file 1" -n 'sdt:::sched_process_exit /pid == $target/ {
	printf("%s %d %d\n", probemod, xlate <psinfo_t *> (args[0])->pr_pid == pid, arg0 == (uint64_t)curthread); }
	sdt:::sys_enter /pid == $target && args[1] == 17/ { @[args[0]->dx] = count(); }
	sdt:::signal_gen* /pid == $target && args[0] == SIGCHLD/ { @sent[xlate <psinfo_t *> (args[2])->pr_pid == ppid] = count(); }
	END { printa("read %d %@d\n", @); printa("sent %d %@d\n", @sent); }'
has out '^vmlinux 1 1$'
has out '^read 4096 1$'
has out '^sent 1 1$'
run 1 trace -n 'sdt:::sched_swich { }'
has err 'did you mean sched_switch\?'
exit 0
