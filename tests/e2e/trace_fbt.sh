#!/bin/bash
# Providers fbt and fasttrap, variables of the kernel, and the attributes of the kernel's providers. Where the kernel refuses
# programs at functions, one line says so before anything is started; tests/witness/guest_kernel.sh
# traces functions on a kernel that does not.
# tests: src/kernel/machine/provider_fbt.c src/kernel/machine/provider_fasttrap.c
set -u
. tests/e2e/common
need_kernel
[ -r /sys/kernel/btf/vmlinux ] || { echo "the kernel does not describe its types"; exit 77; }

run() { # arguments
	"$VMTAP" trace "$@" >"$directory/out" 2>"$directory/err"
}

run -lv -n 'fbt::vfs_read:' || fail "$(cat "$directory/err")"
has out '^ *[0-9]+ +fbt +vmlinux +vfs_read entry$'
has out '^ *[0-9]+ +fbt +vmlinux +vfs_read return$'
has out '^		args\[0\] file: struct file \*$'
has out '^		args\[2\] count: uint64_t$'
has out '^		args\[1\] value: int64_t$'
run -l -n 'fbt:vmlinux:vfs_rea[dv]:entry' || fail "$(cat "$directory/err")"
[ "$(grep -c ' fbt .* vfs_read entry$' "$directory/out")" = 1 ] || fail "$(cat "$directory/out")"
! grep -q ' return$' "$directory/out" || fail "$(cat "$directory/out")"
run -l -n 'fbt::fput:return' -v
has out '^		None$' # it returns nothing

# What a user may have meant; the types of arguments are checked.
run -n 'fbt::vfs_reed:entry { }' && fail "a function that does not exist"
has err 'fbt::vfs_reed:entry does not match any probes \(did you mean vfs_read\?\)'
run -n 'fbt::vfs_read:entry { trace(args[0]->f_innode); }' && fail "a member that does not exist"
has err 'f_innode is not a member of struct file'
run -n 'fbt::fput:return { trace(args[1]); }' && fail "the value of a function without one"
has err 'index 1 is out of range for fbt::fput:return args\[ \]'

cat >"$directory/reads.d" <<'D'
fbt::vfs_read:entry /pid == $target/ { @entries = count(); }
fbt::vfs_read:return /pid == $target && args[1] == 3/ { @returned = sum(args[1]); }
D
cat >"$directory/guide.d" <<'D'
#pragma D option flowindent

fbt:::
/execname == "clock" && guard++ == 0/
{
	self->traceme = 1;
}
D
run -s "$directory/reads.d" -c "touch $directory/ran"
if grep -q 'refuses programs at its functions' "$directory/err"; then
	reason="cannot be traced: the kernel refuses programs at its functions \(Operation not permitted\), though not at tracepoints, as it does in lockdown\$"
	has err "^dtrace: fbt:vmlinux:vfs_read:entry $reason"
	[ "$(grep -c . "$directory/err")" = 2 ] || fail "more than one line: $(cat "$directory/err")"
	[ ! -e "$directory/ran" ] || fail "the command was run"
	run -s "$directory/guide.d" && fail "all functions of a kernel that refuses"
	has err "^dtrace: fbt:.*$reason"
	run -l -n 'fbt:vmlinux:vfs_*:'
	[ "$(grep -cE "^vmtap: fbt:vmlinux:vfs_[a-z_]*:entry and [0-9]+ more probes $reason" "$directory/err")" = 1 ] || fail "$(cat "$directory/err")"
	# what else a script has goes on
	run -q -n 'fbt::vfs_read:entry { } syscall::getppid:entry /pid == $target && execname == "perl"/ { @ = count(); }' \
		-c "perl -e getppid" || fail "$(cat "$directory/err")"
	has out '^ +1$'
	has err "^vmtap: fbt::vfs_read:entry $reason"
	[ "$(grep -c 'cannot be traced' "$directory/err")" = 1 ] || fail "$(cat "$directory/err")"
else
	printf abc >"$directory/abc"
	run -q -s "$directory/reads.d" -c "head -c 3 $directory/abc" || fail "$(cat "$directory/err")"
	has out '^ +3$'
	run -s "$directory/guide.d" && fail "all functions at a time"
	has err '^dtrace: provider fbt: [0-9]+ probes are described; each needs a program of its own'
fi

# Names with a backquote. Whether /proc/kallsyms has variables depends on the kernel.
run -q -n 'syscall::getppid:entry /pid == $target && execname == "perl"/ { printf("%a %d\n", &vmlinux`vfs_read, *(int *)&`vfs_read != 0);
	@ = sum(*(int *)&`vfs_read != 0); }' -c "perl -e getppid" || fail "$(cat "$directory/err")"
has out '^vmlinux`vfs_read 1$'
has out '^ +1$'
run -n 'syscall:::entry { trace(`vfs_read); }' && fail "a function is no variable"
has err 'available for `vfs_read: the kernel describes the types of hardly any variables; name the type: \*\(int \*\)&`vfs_read,'
run -n 'syscall:::entry { trace(`no_such_variable); }' && fail "no such variable"
has err 'available for `no_such_variable: /proc/kallsyms has no such symbol'
run -n 'syscall:::entry { trace(`runqueues); }' && fail "a variable of each processor"
has err '`runqueues cannot be read: each processor has a copy of this variable'
run -n 'BEGIN { trace(*(int *)&`vfs_read); }' && fail "BEGIN reads the memory of the kernel"
has err '`vfs_read needs the variables of the kernel, which the probe BEGIN does not give'

run -l -P fasttrap || fail "$(cat "$directory/err")"
has out '^ *[0-9]+ +fasttrap +fasttrap$'
has err '^vmtap: fasttrap:::fasttrap cannot be traced: no Linux kernel has the call by which a program would fire it'
run -n 'fasttrap:::fasttrap { }' && fail "fasttrap is traced"
has err '^dtrace: fasttrap:::fasttrap cannot be traced: no Linux kernel'

# The attributes of a probe and of its arguments are the least of its parts', as the guide has them.
attributes() { # probe, of the probe, of the arguments
	run -lv -n "$1" || fail "$1: $(cat "$directory/err")"
	[ "$(sed -n '/Attributes$/,/Class/ s/.*: *//p' "$directory/out" | head -6 | tr '\n' ' ')" = "$2 $3 " ] || fail "$1: $(cat "$directory/out")"
}
attributes syscall::read:entry "Unstable Unstable ISA" "Unstable Unstable ISA"
attributes proc:::exec-success "Evolving Evolving ISA" "Evolving Evolving ISA"
attributes sched:::off-cpu "Evolving Evolving ISA" "Evolving Evolving ISA"
attributes io:::start "Evolving Evolving ISA" "Evolving Evolving ISA"
attributes sdt:::sched_switch "Private Private Unknown" "Private Private ISA"
attributes fbt::vfs_read:entry "Private Private Unknown" "Private Private ISA"
attributes fasttrap:::fasttrap "Evolving Evolving ISA" "Private Private Unknown"
attributes dtrace:::BEGIN "Stable Stable Common" "Stable Stable Common"
attributes profile:::profile-97 "Evolving Evolving Common" "Evolving Evolving Common"
exit 0
