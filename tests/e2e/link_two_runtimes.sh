#!/bin/bash
# A process with two runtimes that know nothing of each other: the executable's and an extension's,
# those of two extensions, and the executable's with an extension that uses libvmtap.so. Each start
# succeeds and serves a socket of its own. vmtap trace finds both and merges them, with -p and with
# -c, also if one starts during the trace: it has every object's events, in one order of time. When
# one of them stops, the other goes on.
# tests: src/shim/core/foreign.c src/shim/core/registry.c
set -eu
flags="-std=gnu11 -O2 -g -Iinclude -Isrc -I$BUILD/include -D_GNU_SOURCE"
[ "${VMTAP_SANITIZED:-0}" = 1 ] && flags+=" -fsanitize=address,undefined"

cat >"$TMPDIR/own.c" <<'C'
#include <vmtap.h>
__attribute__((visibility("default"))) int own_start(void);
__attribute__((visibility("default"))) int own_stop(void);
__attribute__((visibility("default"))) void own_fire(uint16_t cap);
int own_start(void) { return vmtap_start(NULL); }
int own_stop(void) { return vmtap_stop(); }
void own_fire(uint16_t cap) { VMTAP_GC_IDLE(cap); }
C
cat >"$TMPDIR/host.c" <<'C'
#include <dlfcn.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int own_start(void), own_stop(void);
void own_fire(unsigned short cap);
static struct { int (*start)(void), (*stop)(void); void (*fire)(unsigned short); } parts[2];
static int load(int i, const char *path)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!object) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	*(void **)&parts[i].start = dlsym(object, "own_start");
	*(void **)&parts[i].stop = dlsym(object, "own_stop");
	*(void **)&parts[i].fire = dlsym(object, "own_fire");
	return !parts[i].start || !parts[i].stop || !parts[i].fire;
}
int main(int argc, char **argv)
{
	struct pollfd line = {.fd = 0, .events = POLLIN};
	int first = 0;
#ifdef WITH_OWN
	parts[0].start = own_start, parts[0].stop = own_stop, parts[0].fire = own_fire;
	first = 1;
#endif
	for (int i = first; i < 2; i++)
		if (argc <= i - first + 1 || load(i, argv[i - first + 1]))
			return 1;
	for (int i = 0; i < 2; i++) {
		char byte;
		while (i && getenv("LATE") && poll(&line, 1, 1) == 0)
			parts[0].fire(8);
		if (i && getenv("LATE") && read(0, &byte, 1) != 1)
			return 1;
		fprintf(stderr, "start %d\n", parts[i].start());
	}
	while (poll(&line, 1, 1) == 0) /* until the tracer has seen both */
		for (int i = 0; i < 2; i++)
			parts[i].fire((unsigned short)(i + 8));
	for (int i = 0; i < 1000; i++)
		parts[i % 2].fire((unsigned short)(i % 2 + 1));
	fprintf(stderr, "stop %d\n", parts[1].stop());
	for (int i = 0; i < 1000; i++)
		parts[i % 2].fire((unsigned short)(i % 2 + 3));
	fprintf(stderr, "stop %d\n", parts[0].stop());
	return 0;
}
C
# shellcheck disable=SC2086
build() { # OUTPUT ARGUMENTS...
	$CC $flags -o "$TMPDIR/$1" "${@:2}" -pthread -ldl
}
build one.so -fPIC -shared "$TMPDIR/own.c" "$BUILD/libvmtap.a"
build two.so -fPIC -shared "$TMPDIR/own.c" "$BUILD/libvmtap.a"
build shared.so -fPIC -shared "$TMPDIR/own.c" "$BUILD/libvmtap_probes.a" -L"$BUILD" -lvmtap -Wl,-rpath,"$PWD/$BUILD"
build static "$TMPDIR/host.c" "$TMPDIR/own.c" -DWITH_OWN "$BUILD/libvmtap.a"
build neither "$TMPDIR/host.c"

cat >"$TMPDIR/script.d" <<'D'
int seen[int];
int64_t last;
vm$target:::gc-idle /arg0 >= 8 && !seen[arg0]/ { seen[arg0] = 1; printf("attached%d\n", arg0); }
vm$target:::gc-idle /arg0 < 8/ { @[arg0] = count(); }
vm$target:::gc-idle /timestamp < last/ { @back = count(); }
vm$target:::gc-idle { last = timestamp; }
D

await() { # WORD FILE PID
	until grep -qs "$1" "$2"; do
		kill -0 "$3" 2>/dev/null || { echo "$1 never came" && cat "$2" "$TMPDIR/trace.err" && exit 1; }
		sleep 0.01
	done
}

# Prints what each start and stop returned, and each capability's events; fails unless time goes
# forward.
try() { # HOST EXTENSION...
	local host tracer
	rm -f "$TMPDIR/in"
	mkfifo "$TMPDIR/in"
	: >"$TMPDIR/host.out" # not what the host before it has said
	timeout "${COMMAND_SECONDS:-300}" "$TMPDIR/$1" "${@:2}" <"$TMPDIR/in" 2>"$TMPDIR/host.out" &
	exec 4>"$TMPDIR/in"
	host=$!
	until [ "$(grep -cs start "$TMPDIR/host.out")" = 2 ] || ! kill -0 $host 2>/dev/null; do sleep 0.01; done
	: >"$TMPDIR/trace.out"
	"$VMTAP" trace --lossless -q -o "$TMPDIR/trace.out" -p "$(pgrep -P $host)" -s "$TMPDIR/script.d" 2>"$TMPDIR/trace.err" &
	tracer=$!
	await attached8 "$TMPDIR/trace.out" $tracer
	await attached9 "$TMPDIR/trace.out" $tracer
	echo >&4
	exec 4>&-
	wait $host || { echo "$*: status $?" && exit 1; }
	wait $tracer || { echo "$*: trace: status $?" && cat "$TMPDIR/trace.err" && exit 1; }
	[ ! -s "$TMPDIR/trace.err" ] || { cat "$TMPDIR/trace.err" && exit 1; }
	got=$(xargs <"$TMPDIR/host.out"; grep -v attached "$TMPDIR/trace.out" | xargs)
	[ "$got" = "start 0 start 0 stop 0 stop 0
1 500 2 500 3 500" ] || { echo "$*: got $got" && exit 1; }
}
try static "$TMPDIR/one.so"
try static "$TMPDIR/shared.so"
try neither "$TMPDIR/one.so" "$TMPDIR/two.so"
try neither "$TMPDIR/one.so" "$TMPDIR/shared.so"

# The second starts while the trace runs.
late() { # -p|-c|--follow HOST EXTENSION...
	local host= tracer option=$1 follow=
	[ "$option" = --follow ] && follow=--follow
	shift
	rm -f "$TMPDIR/in"
	mkfifo "$TMPDIR/in"
	: >"$TMPDIR/trace.out"
	: >"$TMPDIR/trace.err"
	: >"$TMPDIR/host.out"
	if [ "$option" = -p ]; then
		LATE=1 "$TMPDIR/$1" "${@:2}" <"$TMPDIR/in" 2>"$TMPDIR/host.out" &
		host=$!
		exec 4>"$TMPDIR/in"
		await start "$TMPDIR/host.out" $host
		"$VMTAP" trace --lossless -q -o "$TMPDIR/trace.out" -p $host -s "$TMPDIR/script.d" 2>"$TMPDIR/trace.err" &
	else
		LATE=1 timeout "${COMMAND_SECONDS:-300}" "$VMTAP" trace --lossless -q $follow -o "$TMPDIR/trace.out" \
			-s "$TMPDIR/script.d" -- "$TMPDIR/$1" "${@:2}" <"$TMPDIR/in" 2>"$TMPDIR/host.out" &
		exec 4>"$TMPDIR/in"
	fi
	tracer=$!
	await attached8 "$TMPDIR/trace.out" $tracer
	printf x >&4
	await attached9 "$TMPDIR/trace.out" $tracer
	echo >&4
	exec 4>&-
	[ -z "$host" ] || wait $host || { echo "late $*: status $?" && exit 1; }
	wait $tracer || { echo "late $*: trace: status $?" && cat "$TMPDIR/trace.err" && exit 1; }
	[ ! -s "$TMPDIR/trace.err" ] || { cat "$TMPDIR/trace.err" && exit 1; }
	got=$(xargs <"$TMPDIR/host.out"; grep -v attached "$TMPDIR/trace.out" | xargs)
	[ "$got" = "start 0 start 0 stop 0 stop 0
1 500 2 500 3 500" ] || { echo "late $option $*: got $got" && exit 1; }
}
late -p static "$TMPDIR/one.so"
late -c static "$TMPDIR/one.so"
late -c neither "$TMPDIR/one.so" "$TMPDIR/shared.so"
late --follow static "$TMPDIR/one.so"
late --follow neither "$TMPDIR/one.so" "$TMPDIR/shared.so"

# The VMs of a name: one whose directory does not exist when the trace begins.
mkdir -m 700 "$TMPDIR/named"
export XDG_RUNTIME_DIR=$TMPDIR/named
rm -f "$TMPDIR/in"
mkfifo "$TMPDIR/in"
: >"$TMPDIR/trace.out"
cp "$TMPDIR/static" "$TMPDIR/two_runtimes"
sed 's/\$target/*/' "$TMPDIR/script.d" >"$TMPDIR/named.d"
"$VMTAP" trace --lossless -q -o "$TMPDIR/trace.out" --wait two_runtimes -s "$TMPDIR/named.d" 2>"$TMPDIR/trace.err" &
tracer=$!
"$VMTAP" trace -q --wait two_runtimes -n 'nosuch*:::gc-idle { }' -Z 2>"$TMPDIR/other.err" &
other=$!
await waiting "$TMPDIR/trace.err" $tracer
await waiting "$TMPDIR/other.err" $other
LATE=1 "$TMPDIR/two_runtimes" "$TMPDIR/one.so" <"$TMPDIR/in" 2>"$TMPDIR/host.out" &
host=$!
exec 4>"$TMPDIR/in"
await attached8 "$TMPDIR/trace.out" $tracer
printf x >&4
await attached9 "$TMPDIR/trace.out" $tracer
echo >&4
exec 4>&-
wait $host || { echo "named: status $?" && exit 1; }
kill -INT $tracer $other
wait $tracer && wait $other || { cat "$TMPDIR/trace.err" "$TMPDIR/other.err" && exit 1; }
[ "$(cat "$TMPDIR/trace.err" "$TMPDIR/other.err" | sort -u)" = "vmtap: waiting for 'two_runtimes'" ] ||
	{ cat "$TMPDIR/trace.err" "$TMPDIR/other.err" && exit 1; }
got=$(grep -v attached "$TMPDIR/trace.out" | xargs)
[ "$got" = "1 500 2 500 3 500" ] || { echo "named: got $got" && exit 1; }
unset XDG_RUNTIME_DIR

# A recording is that of one of them, and says so, also if the other one starts later.
await_event() { # CAP FILE PID
	while "$VMTAP" trace -q --log "$2" -n "vm*:::gc-idle /arg0 == $1/ { exit(9); }" >/dev/null 2>&1
		[ $? != 9 ]; do
		kill -0 "$3" 2>/dev/null || { echo "no event in $2" && cat "$TMPDIR/record.err" && exit 1; }
		sleep 0.01
	done
}
recorded() { # LATE
	rm -f "$TMPDIR/in"
	mkfifo "$TMPDIR/in"
	rm -f "$TMPDIR/log" "$TMPDIR/other"
	: >"$TMPDIR/record.err"
	env ${1:+LATE=1} "$TMPDIR/static" "$TMPDIR/one.so" <"$TMPDIR/in" 2>"$TMPDIR/host.out" &
	host=$!
	exec 4>"$TMPDIR/in"
	await "start" "$TMPDIR/host.out" $host
	[ -n "$1" ] || until [ "$(grep -c start "$TMPDIR/host.out")" = 2 ]; do sleep 0.01; done
	"$VMTAP" record -o "$TMPDIR/log" -p $host 2>"$TMPDIR/record.err" &
	recorder=$!
	if [ -n "$1" ]; then
		await_event 8 "$TMPDIR/log" $recorder
		printf x >&4
	fi
	await 'contains several runtimes' "$TMPDIR/record.err" $recorder
	other=$(sed -n "s/.*the one at '\([^']*\)', can be.*/\1/p" "$TMPDIR/record.err")
	"$VMTAP" record -o "$TMPDIR/other" --socket "$other" 2>>"$TMPDIR/record.err" &
	second=$!
	await_event 8 "$TMPDIR/log" $recorder
	await_event 9 "$TMPDIR/other" $second
	echo >&4
	exec 4>&-
	wait $host || { echo "record: status $?" && exit 1; }
	wait $recorder && wait $second || { cat "$TMPDIR/record.err" && exit 1; }
	for log in log other; do
		"$VMTAP" trace -q --log "$TMPDIR/$log" -n 'vm*:::gc-idle /arg0 < 8/ { @[arg0] = count(); }'
	done | xargs >"$TMPDIR/counts"
	[ "$(cat "$TMPDIR/counts")" = '1 500 3 500 2 500' ] || { cat "$TMPDIR/counts" && exit 1; }
}
recorded ''
recorded late
