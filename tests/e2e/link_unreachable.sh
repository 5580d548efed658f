#!/bin/bash
# An extension whose executable has the runtime and does not export it: its events are missing, and
# every client is told so, once, with the extension's path; vmtap trace prints it as one line. Also
# if the extension is loaded after the client came, and however the executable was linked. An
# executable that exports the runtime, or has none, is told of nothing.
set -eu
flags="-std=gnu11 -O2 -g -Iinclude -Isrc -I$BUILD/include -D_GNU_SOURCE"
[ "${VMTAP_SANITIZED:-0}" = 1 ] && flags+=" -fsanitize=address,undefined"

cat >"$TMPDIR/vm.c" <<'C'
#include <dlfcn.h>
#include <stdio.h>
#include <vmtap.h>
static int load(const char *path)
{
	void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	void (*fire)(uint16_t, unsigned);
	if (!object) {
		fprintf(stderr, "%s\n", dlerror());
		return 1;
	}
	*(void **)&fire = dlsym(object, "extension_fire");
	fire(2, 10);
	return 0;
}
int main(int argc, char **argv)
{
	struct vmtap_options options = {.size = sizeof(options)};
	int failed = 0;

	if (argc > 2) /* loaded early */
		failed |= load(argv[2]);
#ifndef WITHOUT_STREAM
	failed |= vmtap_start(&options);
#endif
	failed |= load(argv[1]);
	for (int i = 0; i < 10; i++)
		VMTAP_GC_IDLE(1);
#ifndef WITHOUT_STREAM
	failed |= vmtap_stop();
#endif
	return failed;
}
C
# shellcheck disable=SC2086
for name in a b; do
	$CC $flags -fPIC -shared -o "$TMPDIR/$name.so" tests/shim/extension.c "$BUILD/libvmtap_probes.a"
done

# Traces the VM's log; prints the lines on standard error that tell something, and the count.
trace() {
	VMTAP_LOG=$TMPDIR/log "$@" || { echo "$*: status $?" >&2 && exit 1; }
	"$VMTAP" trace -q --log "$TMPDIR/log" -n 'vm*:::gc-idle { @[arg0] = count(); }' \
		>"$TMPDIR/out" 2>"$TMPDIR/err" || { cat "$TMPDIR/err" >&2 && exit 1; }
	sed -n 's/^.*process [0-9]* (vm): //p' "$TMPDIR/err"
	xargs <"$TMPDIR/out"
}
expect() { # NAME ACTUAL WANTED
	[ "$2" = "$3" ] || { printf '%s: got\n%s\nbut expected\n%s\n' "$1" "$2" "$3" && exit 1; }
}

linkers=default
[ "${VMTAP_SANITIZED:-0}" = 1 ] || linkers="bfd gold lld mold"
for linker in $linkers; do
	with=
	if [ $linker != default ]; then
		echo 'int main(void) { return 0; }' >"$TMPDIR/try.c"
		with="-fuse-ld=$linker -ffunction-sections -Wl,--gc-sections"
		$CC $with -o "$TMPDIR/try" "$TMPDIR/try.c" 2>/dev/null || { echo "left out: $linker: no such linker" && continue; }
	fi
	# shellcheck disable=SC2086
	$CC $flags $with -o "$TMPDIR/vm" "$TMPDIR/vm.c" "$BUILD/libvmtap.a" -pthread -ldl
	got=$(trace "$TMPDIR/vm" "$TMPDIR/a.so")
	expect "$linker: told" "$got" "1 object cannot reach the stream, so its events are missing; link the executable with -rdynamic: $TMPDIR/a.so
1 10"
	got=$(trace "$TMPDIR/vm" "$TMPDIR/a.so" "$TMPDIR/b.so")
	expect "$linker: told of two" "$(echo "$got" | tail -n 2)" \
		"2 objects cannot reach the stream, so their events are missing; link the executable with -rdynamic: $TMPDIR/a.so
1 10"
	# shellcheck disable=SC2086
	$CC $flags $with -rdynamic -o "$TMPDIR/vm" "$TMPDIR/vm.c" "$BUILD/libvmtap.a" -pthread -ldl
	expect "$linker: nothing to tell" "$(trace "$TMPDIR/vm" "$TMPDIR/a.so")" "1 10 2 10"
	# shellcheck disable=SC2086
	$CC $flags $with -DWITHOUT_STREAM -o "$TMPDIR/vm" "$TMPDIR/vm.c" "$BUILD/libvmtap.a" -ldl
	"$TMPDIR/vm" "$TMPDIR/a.so"
done
