#!/bin/bash
# What is said of a description that matches none of the kernel's probes: which probe may be meant,
# which part is wrong, and what to use instead of what other systems and languages have. The probes
# that are named so exist.
# shellcheck disable=SC2016 # $target is D's
# tests: src/cli/trace/trace_notes.c src/kernel/machine/machine_providers.c
set -u
. tests/e2e/common
need_kernel
[ -r /sys/kernel/btf/vmlinux ] || { echo "the kernel does not describe its types"; exit 77; }

is() { # the advice, description
	"$VMTAP" trace -n "$2" >"$directory/out" 2>"$directory/err" && fail "$2: status 0"
	grep -qF -- "does not match any probes ($1), column" "$directory/err" || fail "$2: not $1"
}
means() { # name, description
	is "did you mean $1?" "$2"
}
means entry 'syscall:::enter'
means entry 'syscall::open:begin'
means return 'syscall::open:exit'
means openat 'syscall::opneat:entry'
means start 'io:::begin'
means 'done' 'io:::end'
means lwp-start 'proc:::lwp-begin'
means signal-send 'proc:::signal-sent'
means on-cpu 'sched:::oncpu'
means sched_switch 'sdt:::sched_swich'
means syscall 'sycall:::entry'
means sched 'shced:::on-cpu'
means profile 'porfile:::tick-1s'
means profile-99 'profle-99'
means entry 'fbt::vfs_read:enter'
means return 'fbt::vfs_read:exit'
means vfs_read 'fbt::vfs_raed:entry'
means vfs_read 'fbt:vmlinux:vfs_raed:entry'
means vfs_read 'fbt:nosuchmodule:vfs_raed:entry'
is 'its module is vmlinux' 'fbt:nosuchmodule:vfs_read:entry'
is 'its module is vmlinux' 'sdt:foo::sched_switch'
is 'sdt:::sched_switch has no function' 'sdt::foo:sched_switch'
is 'the probes of provider syscall have no module' 'syscall:vmlinux:read:entry'
is 'the probes of provider sched have no module' 'sched:vmlinux::on-cpu'
is 'sched:::on-cpu has no function' 'sched::schedule:on-cpu'
is 'the probes of io are done, start, wait-done and wait-start' 'io:::frobnicate'
is 'the probes of io are done, start, wait-done and wait-start' 'io:::frob*'
is 'the probes of fbt are entry and return' 'fbt::vfs_read:frobnicate'
is 'its probes are entry and return' 'fbt:::frobnicate'
is 'vmtap trace -l -P sdt lists its probes' 'sdt:::frobnicate_quux'
is 'Linux has no such system call' 'syscall::frobnicate:entry'
is 'the kernel has no such function, or none that can be traced' 'fbt::frobnicate_quux:entry'
is 'the kernel has no module nosuchmodule with functions that it describes' 'fbt:nosuchmodule::'
is 'the provider of a process ends in its pid: python$target, or python* for any process' \
	'python:::function-entry'

# bpftrace's forms, also where a path begins
is 'D has fbt::vfs_read:entry' 'kprobe:vfs_read { }'
is 'D has fbt::vfs_read:return' 'kretprobe:vfs_read { }'
is 'D has syscall::openat:entry' 'tracepoint:syscalls:sys_enter_openat { }'
is 'D has syscall::openat:return' 'tracepoint:syscalls:sys_exit_openat { }'
is 'D has sdt:::sched_switch' 'tracepoint:sched:sched_switch { }'
is 'D has tick-1s' 'interval:s:1 { }'
is 'D has profile-99hz' 'profile:hz:99 { }'
"$VMTAP" trace -n 'uprobe:/lib/x86_64-linux-gnu/libc.so.6:malloc { }' 2>"$directory/err" && fail "a path"
has err 'expected a probe description \(D has pid\$target:a\.out:NAME:entry\), column 8$'

# What vmtap does not have.
named=(-n 'sdt:::irq_handler_entry')
is 'Linux has irq_handler_entry' 'sdt:::interrupt-start'
is 'Linux has execve' 'syscall::exece:return'
named+=(-n 'syscall::execve:return')
for other in vminfo:::{,maj_fault,as_fault,zfod,pgpgin,pgpgout} \
	sysinfo:::{,readch,writech,sysread,syswrite,sysexec,sysvfork,nthreads,pswitch,inv_swtch} \
	sysinfo:::{namei,trap,mutex_adenters,bread,lwrite} \
	lockstat:::{,adaptive-block,adaptive-release} 'plockstat$target:::mutex-block' \
	tcp:::{,send,receive,accept-refused,connect-refused,accept-established} \
	udp:::{send,receive} ip:::{send,receive} fsinfo:::{,read} mib:::{,tcpRetransSegs} cpc::: rawtp:::; do
	"$VMTAP" trace -n "$other" 2>"$directory/err" && fail "$other: status 0"
	has err "does not match any probes \(vmtap has no provider ${other%%[:$]*}: "
	while read -r probe; do
		named+=(-n "$probe")
	done < <(grep -oE '(sdt|syscall|sched|proc|io|fbt)(:[a-z0-9_*-]*){3}' \
		<(sed 's/.*has no provider//; s/, column.*//' "$directory/err"))
done
[ ${#named[@]} -ge 60 ] || fail "probes: ${named[*]}"
"$VMTAP" trace -l "${named[@]}" >"$directory/out" 2>"$directory/err" || fail "$(cat "$directory/err")"
grep 'failed to match' "$directory/err" && fail "a probe that does not exist is advised"
exit 0
