# build_hosts.sh: to be sourced by scripts. Builds host.c into $TMPDIR, linked in each way:
# host-static (the archive), host-shared (libvmtap.so and the probe part), host-probes (only
# the probe part, no stream); also extension-a.so, extension-b.so and the client, count.
# HOST_FLAGS: more flags for those that fire.
build_hosts() {
	local cc=${1:-$CC} B=$BUILD flags="-std=gnu11 -O2 -g -Iinclude -Isrc -I$BUILD/include -D_GNU_SOURCE"
	local sanitize=
	[ "${VMTAP_SANITIZED:-0}" = 1 ] && sanitize="-fsanitize=address,undefined"
	$cc $flags $sanitize -o "$TMPDIR/count" tests/shim/count.c tests/shim/reader.c
	for name in a b; do
		$cc $flags $sanitize ${HOST_FLAGS:-} -fPIC -shared -o "$TMPDIR/extension-$name.so" tests/shim/extension.c "$B/libvmtap_probes.a"
	done
	$cc $flags $sanitize ${HOST_FLAGS:-} -rdynamic -o "$TMPDIR/host-static" tests/shim/host.c "$B/libvmtap.a" -pthread -ldl
	$cc $flags $sanitize -o "$TMPDIR/host-shared" tests/shim/host.c "$B/libvmtap_probes.a" \
		-L"$B" -lvmtap -Wl,-rpath,"$PWD/$B" -pthread -ldl
	$cc $flags $sanitize ${HOST_FLAGS:-} -DHOST_WITHOUT_STREAM -o "$TMPDIR/host-probes" tests/shim/host.c "$B/libvmtap.a" -ldl
}
