#!/bin/bash
# The ways of linking the library, each traced through the stream: static into the executable;
# the executable with libvmtap.so; either with two extensions that fire, one of them unloaded
# while it is traced; a program that uses nothing but a macro. From each object, exactly as many
# events arrive as it fired.
set -eu
. tests/shim/build_hosts.sh

expect() { # NAME ACTUAL WANTED
	[ "$2" = "$3" ] || { printf '%s: got\n%s\nbut expected\n%s\n' "$1" "$2" "$3" && exit 1; }
}

# A sanitizer's run-time library belongs to its compiler.
compilers=$CC
[ "${VMTAP_SANITIZED:-0}" = 1 ] || [ "$CC" = clang ] || compilers="$CC $(command -v clang || true)"
[ "$compilers" != "$CC " ] || echo "left out: clang: not installed"
for cc in $compilers; do
	build_hosts "$cc"
	for host in host-static host-shared; do
		rm -f "$TMPDIR/socket"
		echo go | VMTAP_WAIT=1 "$TMPDIR/$host" "$TMPDIR/socket" 1000 >"$TMPDIR/host.out" &
		got=$("$TMPDIR/count" "$TMPDIR/socket" lossless | grep -v gc-work)
		wait $!
		expect "$cc $host" "$got" "gc-idle 2000 0
cap 1 2000"
		echo go | VMTAP_WAIT=1 "$TMPDIR/$host" "$TMPDIR/socket" 1000 \
			"$TMPDIR/extension-a.so" "$TMPDIR/extension-b.so" >"$TMPDIR/host.out" &
		got=$("$TMPDIR/count" "$TMPDIR/socket" lossless | grep -v gc-work)
		wait $!
		expect "$cc $host with extensions" "$got" "gc-idle 5000 0
cap 1 2000
cap 2 2000
cap 3 1000"
		# The stream's half of the guard is open in each object, whenever it was loaded.
		expect "$cc $host guards" "$(grep -c 'guard [123] 65536' "$TMPDIR/host.out")" 3
	done
	# A program that uses only macros is traced too.
	printf '%s\n' '#include <vmtap.h>' 'int main(int count, char **given)' '{' \
		'struct vmtap_options options = {.size = sizeof(options), .socket = given[1]};' \
		'(void)count;' 'if (vmtap_start(&options)) return 1;' 'VMTAP_GC_IDLE(1);' '}' >"$TMPDIR/plain.c"
	$cc ${VMTAP_SANITIZED:+-fsanitize=address,undefined} -Iinclude -I"$BUILD/include" \
		-o "$TMPDIR/plain" "$TMPDIR/plain.c" "$BUILD/libvmtap.a" -pthread
	VMTAP_WAIT=1 "$TMPDIR/plain" "$TMPDIR/socket" &
	got=$("$TMPDIR/count" "$TMPDIR/socket" lossless)
	wait $!
	expect "$cc macros alone" "$got" "gc-idle 1 0
cap 1 1"
	# Without the stream no guard is open, and nothing of the runtime is linked.
	got=$(echo go | "$TMPDIR/host-probes" - 1000 "$TMPDIR/extension-a.so" "$TMPDIR/extension-b.so" | grep guard)
	expect "$cc probes alone" "$got" "guard 1 0
guard 2 0
guard 3 0"
	if nm "$TMPDIR/host-probes" | grep -E ' [TtDdBb] (vmtap_start|vmtap_stop|vmtap_object_add|ring_|server_|client_|encode|name_take|queue_|registry_|endpoint_)'; then
		echo "$cc: a program that never starts the stream contains the runtime"
		exit 1
	fi
	# The symbols of the probe part are not visible to other objects.
	# (GNU ld lists the bounds of our section, as hidden, and so for no other object.)
	if readelf -W --dyn-syms "$TMPDIR/extension-a.so" | awk '$6 != "HIDDEN" && $7 != "UND"' | grep -E 'vmtap|vm_'; then
		echo "$cc: an extension exports the library's symbols"
		exit 1
	fi
done
# The shared library exports its interface, with a version, and nothing else.
got=$(nm -D --defined-only --with-symbol-versions "$BUILD/libvmtap.so" | awk '$2 != "A" { print $3 }' | sort | xargs)
exported=
for symbol in vmtap_object_add vmtap_object_remove \
	$(sed -n 's/^VMTAP_API .*[ *]\(vmtap_[a-z_]*\)(.*/\1/p' include/vmtap.h); do
	exported+="$symbol@@VMTAP_0.1
"
done
exported=$(echo "$exported" | sort | xargs)
expect "libvmtap.so" "$got" "$exported"
