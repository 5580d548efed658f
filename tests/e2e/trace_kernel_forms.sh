#!/bin/bash
# Arguments of all forms that compilers choose for USDT operands, in programs that are linked in all
# the ways: what the program prints is what the kernel source must read.
# tests: src/usdt/elf/operand.c src/kernel/site/site_operand.c src/kernel/watch/linker.c
set -u
. tests/e2e/common

need_kernel
cat >"$directory/forms.d" <<'D'
forms$target:::nine { printf("nine %d %d %d %d %d %d %u %s %d\n", arg0, arg1, arg2, arg3, arg4, arg5,
	arg6, copyinstr(arg7), arg8); }
forms$target:::globals { printf("globals %d %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4, arg5); }
forms$target:::indices { printf("indices %d %d %d %d\n", arg0, arg1, arg2, arg3); }
forms$target:::pointers { printf("pointers %d %d %d %d %d\n", arg0, arg1, arg2, arg3, arg4); }
forms$target:::halves { printf("halves %d %d %d\n", arg0, arg1, arg2); }
forms$target:::several { printf("several %d\n", arg0); }
forms$target:::calls { printf("calls %d\n", arg0); }
D

# Nothing may be missed from the program's beginning on.
compare() { # compiler, flags
	"$@" tests/tools/usdt_forms.c -o "$directory/forms" 2>"$directory/err" || {
		echo "left out: $*: it does not compile here: $(head -1 "$directory/err")"
		return
	}
	rm -f "$directory/traced"
	run 0 trace -q -c "$directory/forms" -s "$directory/forms.d" -o "$directory/traced"
	sed '/^$/d' "$directory/traced" >"$directory/values"
	[ -s "$directory/values" ] || fail "no events of a program compiled with $*"
	diff "$directory/out" "$directory/values" || fail "other values in a program compiled with $*"
}
for level in -O0 -O1 -O2 -O3; do
	compare "$CC" $level -fPIE -pie
	compare "$CC" $level -fno-pie -no-pie
done
compare "$CC" -O2 -static -fno-pie
compare "$CC" -O2 -fPIE -static-pie

# A library of a program whose dynamic linker is musl's: it is attached to before the first event.
if command -v musl-gcc >/dev/null; then
	include="-idirafter /usr/include -idirafter /usr/include/$(uname -m)-linux-gnu"
	echo '#include <sys/sdt.h>
		int of_library(int a) { DTRACE_PROBE1(forms, library, a); return a; }' >"$directory/library.c"
	echo 'int of_library(int); int main(void) { return of_library(-6) + 6; }' >"$directory/main.c"
	# shellcheck disable=SC2086
	compare musl-gcc -O2 $include
	# shellcheck disable=SC2086
	musl-gcc -O2 $include -fPIC -shared "$directory/library.c" -o "$directory/libforms.so" &&
		musl-gcc -O2 "$directory/main.c" -L"$directory" -lforms -Wl,-rpath,"$directory" \
			-o "$directory/uses" || fail "compiling with musl"
	run 0 trace -q -c "$directory/uses" -n 'forms$target:::library { printf("<%d>", arg0); }'
	has out '^<-6>$'
else
	echo "left out: musl: there is no musl-gcc"
fi

# An operand whose symbol is ambiguous is refused, with its text.
echo '#include <sys/sdt.h>
	static int same = 1; int other(void);
	int main(int count, char **words) { same += count; DTRACE_PROBE1(forms, same, same); return other() + same; }' \
	>"$directory/same.c"
echo 'static int same = 5; int other(void) { return same++; }' >"$directory/other.c"
$CC -O2 -fPIE -pie "$directory/same.c" "$directory/other.c" -o "$directory/same" || fail "compiling"
if readelf -n "$directory/same" | grep -q 'Arguments:.*@same'; then
	run 1 trace -q -c "$directory/same" -n 'forms$target:::same { trace(arg0); }'
	has err "same: arg0 cannot be read at offset 0x[0-9a-f]+ of .*: the symbol of its operand 'same\(%rip\)' is not in the file's symbol table, or several symbols have that name"
fi

# The program does not run on by its stream before the kernel's probes are ready; the events of both
# are in order, and thread-local variables are common.
echo '#include <stddef.h>
	#include <sys/sdt.h>
	void *__libc_calloc(size_t, size_t);
	void *calloc(size_t count, size_t size)
	{
		DTRACE_PROBE1(loaded, calloc, count * size);
		return __libc_calloc(count, size);
	}' >"$directory/loaded.c"
$CC -O2 -fPIC -shared "$directory/loaded.c" -o "$directory/libloaded.so" || fail "compiling a library"
if [ "${VMTAP_SANITIZED:-0}" != 1 ]; then # its calloc must not be replaced
	run 0 trace --lossless -q -c "env LD_PRELOAD=$directory/libloaded.so $TOY examples/toy/programs/queens.toy" \
		-o "$directory/both" -n 'BEGIN { disorder = 0; last = (uint64_t)0; entries = 0; }
		vm$target:::method-entry { self->depth++; entries++; disorder += timestamp < last; last = timestamp; }
		loaded$target:::calloc { @[self->depth > 0] = count(); disorder += timestamp < last; last = timestamp; }
		END { printf("%d %d", disorder, entries); printa(" %d %@d", @); }'
	grep -qE '^0 8501( [01] [1-9][0-9]*){2}$' "$directory/both" || fail "two sources: $(cat "$directory/both")"
else
	echo "left out: a library that replaces calloc: a sanitizer has its own"
fi

# Without privilege the stream's part runs, and a line says what the rest would take.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && [ "${VMTAP_SANITIZED:-0}" != 1 ]; then
	folder=$directory/nobody
	mkdir "$folder" && cp "$VMTAP" "$TOY" examples/toy/programs/queens.toy "$folder" || fail "cp"
	chmod 755 "$directory" && chown -R 65534 "$folder" || fail "chown"
	(cd "$folder" && timeout 60 setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$folder" \
		TMPDIR="$folder" XDG_RUNTIME_DIR= ./vmtap trace -q -Z -c "./toy queens.toy" \
		-n 'vm$target:::method-entry { @ = count(); } nosuch$target:::probe { @n = count(); }') \
		>"$directory/out" 2>"$directory/err" || fail "the stream's part of a script without privilege"
	has out '^ *8501$'
	has err '^vmtap: nosuch[0-9]+:::probe: the event stream of process [0-9]+ has no such probe, and the kernel allows no BPF program: it needs the capabilities CAP_BPF and CAP_PERFMON; run vmtap by sudo$'
	# What only the kernel could deliver is refused before the command runs, by one line.
	printf '#include <stdio.h>\n#include <sys/sdt.h>\nint main(void) { DTRACE_PROBE1(plain, hit, 3); puts("ran"); return 0; }\n' \
		>"$directory/plain.c"
	$CC -O2 -o "$folder/plain" "$directory/plain.c" || fail "compiling"
	unprivileged() { # vmtap trace's arguments
		(cd "$folder" && timeout 60 setpriv --reuid=65534 --regid=65534 --clear-groups env HOME="$folder" \
			TMPDIR="$folder" XDG_RUNTIME_DIR= ./vmtap trace -q "$@") >"$directory/out" 2>"$directory/err" </dev/null
		[ $? = 3 ] || fail "without privilege: $*"
	}
	for via in auto kernel; do
		for description in 'plain$target:::hit' 'pid$target:a.out:main:entry'; do
			unprivileged --via=$via -n "$description { }" -c ./plain
			has err "^vmtap: ${description%%[$]*}[0-9]+:${description#*:}: the kernel allows no BPF program: it needs the capabilities CAP_BPF and CAP_PERFMON; run vmtap by sudo$"
			[ ! -s "$directory/out" ] && [ "$(wc -l <"$directory/err")" = 1 ] ||
				fail "$description: the command ran, or there is more than a line"
		done
	done
	unprivileged -n 'plain$target:::hit { }' -c 'sh -c ./plain'
	has err '^vmtap: process [0-9]+ \(.*\) has ended without serving an event stream; plain[0-9]+:::hit: the kernel allows no BPF'
else
	echo "left out: without privilege: it needs root, setpriv and a build without sanitizers"
fi

# Nested pid namespaces: vmtap in one, the process in another within it. Its numbers are those that
# vmtap sees.
cat >"$directory/within.c" <<'C'
#include <pthread.h>
#include <stdio.h>

volatile unsigned long sum;
__attribute__((noinline)) void work(void) { sum++; }
static void *run(void *times)
{
	for (long i = 0; i < (long)times; i++)
		work();
	return NULL;
}
int main(void)
{
	pthread_t thread;

	getchar();
	if (pthread_create(&thread, NULL, run, (void *)300))
		return 1;
	pthread_join(thread, NULL);
	run((void *)1000);
	for (unsigned long i = 0; i < 500000000; i++)
		sum += i;
	return 0;
}
C
$CC -O1 -o "$directory/within" "$directory/within.c" -pthread || fail "compiling"
cat >"$directory/nested.sh" <<'NESTED'
mkfifo "$2/nested"
unshare -p -f "$2/within" <"$2/nested" &
exec 3>"$2/nested"
child=
until [ "$child" ]; do read -r child <"/proc/$!/task/$!/children"; done
until [ "$(stat -Lc %i "/proc/$child/ns/pid")" != "$(stat -Lc %i /proc/self/ns/pid)" ] &&
	cmp -s "/proc/$child/exe" "$2/within"; do :; done
"$1" trace --via=kernel -q -p "$child" -o "$2/nested.out" -n 'BEGIN { printf("begun\n"); }
	pid$target:within:work:entry { @[pid == $target, tid == pid] = count(); }
	profile-97 /pid == $target/ { @samples[execname] = count(); }
	END { printa("calls %d %d %@d\n", @); printa("samples of %s\n", @samples); }' &
until grep -q begun "$2/nested.out" 2>/dev/null; do kill -0 $! || exit 1; done
echo >&3
wait $!
NESTED
if unshare -p -f -m --mount-proc true 2>/dev/null; then
	timeout 60 unshare -p -f -m --mount-proc bash "$directory/nested.sh" "$(realpath "$VMTAP")" "$directory" \
		>"$directory/out" 2>"$directory/err" || fail "nested pid namespaces: status $?"
	cp "$directory/nested.out" "$directory/out"
	has out '^calls 1 1 1000$'
	has out '^calls 1 0 300$'
	has out '^samples of within$'
else
	echo "left out: nested pid namespaces: unshare is not permitted"
fi
exit 0
