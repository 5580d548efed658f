#!/bin/sh
# Sees to the Debian packages that a make target needs.
#
#   sh src/packages.sh build|check|fuzz|witness|bench
#
# A package counts as there when what it is needed for is found, so this also passes on
# other systems. What is missing is installed when this may be done without a question
# (root, or sudo without a password); else one line says what to install, and the status
# is 1. VMTAP_NO_INSTALL=1 never installs.
set -u

missing=
need() { # PACKAGE and a test for it
	package=$1
	shift
	"$@" >/dev/null 2>&1 || missing="$missing $package"
}
header() {
	printf '#include <%s>\n' "$1" | "${CC:-cc}" -E -x c - ||
		[ -e "/usr/include/$1" ] || ls /usr/include/*/"$1"
}

build_packages() {
	need gcc sh -c 'command -v gcc || command -v cc || command -v clang'
	need libc6-dev header stdio.h
	need systemtap-sdt-dev sh -c 'command -v dtrace && [ -e /usr/include/sys/sdt.h -o -e /usr/include/"$(gcc -print-multiarch)"/sys/sdt.h ]'
	need libelf-dev header gelf.h
	need libjansson-dev header jansson.h
	need binutils command -v ar
}

case ${1:-} in
build)
	build_packages
	;;
check)
	need check header check.h
	need pkg-config command -v pkg-config
	need binutils command -v readelf
	need g++ command -v g++
	need procps command -v pgrep
	;;
fuzz)
	need clang command -v clang
	need libclang-rt-14-dev sh -c 'echo "int LLVMFuzzerTestOneInput(void){return 0;}" | clang -x c -fsanitize=fuzzer,address -o /dev/null -'
	;;
witness)
	need bpftrace command -v bpftrace
	need gdb command -v gdb
	need binutils command -v readelf
	need clang command -v clang
	need lld command -v ld.lld
	;;
bench)
	need valgrind command -v valgrind
	need bpftrace command -v bpftrace
	need lttng-tools command -v lttng
	need liblttng-ust-dev header lttng/tracepoint.h
	;;
*)
	echo "usage: packages.sh build|check|fuzz|witness|bench" >&2
	exit 2
	;;
esac

[ -n "$missing" ] || exit 0
line="apt-get install -y$missing"
if [ "${VMTAP_NO_INSTALL:-0}" != 1 ] && command -v apt-get >/dev/null 2>&1; then
	as=
	[ "$(id -u)" = 0 ] || as="sudo -n"
	if [ -z "$as" ] || sudo -n true 2>/dev/null; then
		echo "  INSTALL$missing"
		export DEBIAN_FRONTEND=noninteractive
		# shellcheck disable=SC2086
		{ $as apt-get update -qq && $as apt-get install -y -qq --no-install-recommends $missing; } >/dev/null && exit 0
	fi
fi
echo "missing packages; as root, run: $line" >&2
exit 1
