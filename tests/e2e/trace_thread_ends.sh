#!/bin/bash
# A thread's self-> variables end with it: a later thread with the same number has none of them,
# through the stream, from a log, through the kernel, and in a script with both. Those of a thread
# that goes on stay. And they give their memory back, so that many short-lived threads do not use
# up dynvarsize.
# tests: src/kernel/capture/thread_ends.c
set -u
alone=$0
. tests/e2e/common
alone "$alone" # numbers are chosen in a namespace of its own
program=$directory/ends$$
$CC -O1 -D_GNU_SOURCE ${VMTAP_SANITIZED:+-fsanitize=address,undefined} -I"$BUILD/include" -Iinclude -o "$program" \
	tests/e2e/trace_thread_ends.c "$BUILD/libvmtap.a" -pthread || fail "compiling"

timeout 60 "$program" - rounds 1 2>"$directory/why"
[ $? = 77 ] && { echo "the kernel does not let a program choose a thread's number: $(cat "$directory/why")" && exit 77; }

rounds=40
set_all='gc-idle { self->number = arg0 + 1; self->text = "here"; self->at[arg0] = arg0 + 1; self->on[0] = "there"; }'
print='gc-work { printf("work %d %d %s %d %s\n", arg0, self->number, self->text == NULL ? "-" : self->text,
	self->at[arg0], self->on[0] == NULL ? "-" : self->on[0]); }'
seq "$rounds" | sed 's/.*/work & 0 - 0 -/' >"$directory/wanted"
echo 'work 0 1 here 1 there' >>"$directory/wanted"

expect() { # what
	grep '^work' "$directory/out" | diff "$directory/wanted" - >"$directory/diff" ||
		fail "$1: $(head -5 "$directory/diff")"
	has_not err drop
}

stream="vm\$target:::$set_all vm\$target:::$print"
run 0 trace --via=stream -q -n "$stream" -c "$program $directory/socket rounds $rounds"
expect stream
run 0 record --lossless -o "$directory/log" -c "$program $directory/socket rounds $rounds"
run 0 trace --log "$directory/log" -q -n "vm*:::$set_all vm*:::$print"
expect log
run 0 log --validate "$directory/log"
run 0 log --dump "$directory/log"
has out 'THREAD_END'

# 20,000 threads have no more than a few at a time.
run 0 trace --via=stream -q -n "vm\$target:::$set_all vm\$target:::gc-work { printf(\"done\\n\"); }" \
	-x dynvarsize=1m -c "$program $directory/socket threads 20000"
has out done
has_not err drop

need_kernel
run 0 trace --via=kernel -x reduce=no -q -n "$stream" -c "$program - rounds $rounds"
expect kernel
run 0 trace --via=kernel -q -n "$stream" -c "$program - rounds $rounds"
expect "kernel, with what it carries out itself"
# The kernel's calls and the stream share the variables. The main thread, which has one throughout,
# is left out: built with AddressSanitizer, it calls gettid() each time it makes a thread.
run 0 trace -q -n "vm\$target:::$set_all vm\$target:::$print
	syscall::gettid:entry /pid == \$target && tid != pid && self->number/ { calls++; }
	END { printf(\"calls %d\\n\", calls); }" -c "$program $directory/socket rounds $rounds"
expect "stream and kernel"
has out '^calls 0$'
run 0 trace --via=kernel -x reduce=no -q -n "vm\$target:::$set_all vm\$target:::gc-work { printf(\"done\\n\"); }" \
	-x dynvarsize=1m -c "$program - threads 20000"
has out done
has_not err drop
