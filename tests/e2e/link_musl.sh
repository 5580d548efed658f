#!/bin/bash
# musl-gcc builds the library and the toy VM. Programs with it, dynamic and static, send every
# event with the right arguments; threads, fork() and exit() work; and vmtap traces the toy and
# finds its probes.
# limit: 900
set -eu
command -v musl-gcc >/dev/null || { echo "no musl-gcc" && exit 77; }
[ "${VMTAP_SANITIZED:-0}" != 1 ] || { echo "musl has no sanitizers" && exit 77; }
. tests/shim/every_builds.sh

B=$TMPDIR/musl
make -s -j2 B="$B" CC=musl-gcc VMTAP_NO_INSTALL=1 "$B"/libvmtap{.a,_probes.a,.so} "$B/toy" \
	"$B/gen/test_calls.h" >"$TMPDIR/log" 2>&1 || { cat "$TMPDIR/log" && exit 1; }
$CC -std=gnu11 -D_GNU_SOURCE -O1 -Iinclude -Isrc -I"$BUILD/include" -o "$TMPDIR/show" \
	tests/shim/show.c tests/shim/reader.c
every_expected >"$TMPDIR/expected"

flags=${every_flags//-I$BUILD/-I$B}
# shellcheck disable=SC2086
musl-gcc $flags -DEVERY_STREAM -O2 -c -o "$TMPDIR/every.o" tests/shim/every.c
try() { # NAME FLAGS...
	local vm
	musl-gcc -o "$TMPDIR/$1" "$TMPDIR/every.o" "${@:2}" -pthread
	"$TMPDIR/$1" alone
	VMTAP_WAIT=1 timeout "${COMMAND_SECONDS:-300}" "$TMPDIR/$1" "$TMPDIR/socket" &
	vm=$!
	timeout "${COMMAND_SECONDS:-300}" "$TMPDIR/show" "$TMPDIR/socket" >"$TMPDIR/got"
	wait $vm
	diff "$TMPDIR/expected" "$TMPDIR/got"
	"$VMTAP" check -c probes/vm.d "$TMPDIR/$1"
}
try dynamic "$B/libvmtap.a"
try static -static "$B/libvmtap.a"
try shared "$B/libvmtap_probes.a" -L"$B" -lvmtap -Wl,-rpath,"$B"
readelf -l "$TMPDIR/dynamic" | grep -q 'interpreter: .*ld-musl' || { echo "not linked with musl" && exit 1; }

"$VMTAP" check -c probes/vm.d "$B/toy"
"$VMTAP" trace --lossless -q -o "$TMPDIR/counts" -c "$B/toy --caps=2 --stats=json examples/toy/programs/queens.toy" \
	-n 'vm$target::: { @[probename] = count(); }' >/dev/null 2>"$TMPDIR/errors" ||
	{ cat "$TMPDIR/errors" && exit 1; }
python3 tests/e2e/witness.py counts "$TMPDIR/errors" "$TMPDIR/counts"

# exit() in a signal handler and in a forked child, which serves a socket of its own.
cat >"$TMPDIR/child.c" <<'C'
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vmtap.h>
static void on_alarm(int signal)
{
	(void)signal;
	exit(7);
}
int main(int argc, char **argv)
{
	struct vmtap_options options = {.size = sizeof(options), .socket = argv[1]};
	int status;

	(void)argc;
	if (vmtap_start(&options))
		return 1;
	if (fork() == 0) {
		options.socket = argv[2];
		if (vmtap_start(&options))
			_exit(1);
		signal(SIGALRM, on_alarm);
		ualarm(1000, 0);
		for (;;)
			VMTAP_GC_IDLE(0);
	}
	wait(&status);
	return !WIFEXITED(status) || WEXITSTATUS(status) != 7;
}
C
# shellcheck disable=SC2086
musl-gcc $flags -o "$TMPDIR/child" "$TMPDIR/child.c" "$B/libvmtap.a" -pthread
timeout "${COMMAND_SECONDS:-300}" "$TMPDIR/child" "$TMPDIR/one" "$TMPDIR/two"
[ ! -e "$TMPDIR/one" ] && [ ! -e "$TMPDIR/two" ] || { echo "a socket is left" && exit 1; }
