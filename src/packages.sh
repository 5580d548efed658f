#!/bin/sh
# Sees to the Debian packages that a make target needs.
#
#   sh src/packages.sh SET...        build, check, fuzz, witness, bench, compilers
#
# The compiler that is needed is $CC, gcc without it. The set "compilers" is those that tests
# use beside it where they find them.
#
# A package counts as there when what it is needed for is found, so this also passes on
# other systems. What is missing is installed when this may be done without a question
# (root, or sudo without a password); one that cannot be had keeps none of the others away.
# Of what is still missing one line says what to install, and the status is 1.
# VMTAP_NO_INSTALL=1 never installs.
set -u

missing=
need() { # PACKAGE and a test for it
	package=$1
	shift
	case " $missing " in *" $package "*) return ;; esac
	"$@" >/dev/null 2>&1 || missing="$missing $package"
}
header() {
	printf '#include <%s>\n' "$1" | "${CC:-gcc}" -E -x c - ||
		[ -e "/usr/include/$1" ] || ls /usr/include/*-linux-*/"$1"
}
sdt() {
	command -v dtrace && header sys/sdt.h
}
clang_links() { # FLAG FUNCTION: what clang links with its run-time library
	echo "int $2(void) { return 0; }" | clang "$1" -x c - -o /dev/null
}

for set; do
	case $set in
	build)
		case ${CC:-gcc} in
		gcc | cc) need gcc command -v "${CC:-gcc}" ;;
		clang) need clang command -v clang ;;
		esac
		need libc6-dev header stdio.h
		need systemtap-sdt-dev sdt
		need libelf-dev header gelf.h
		need libjansson-dev header jansson.h
		need binutils command -v ar
		;;
	check)
		need check header check.h
		need pkg-config command -v pkg-config
		need binutils command -v readelf
		need gcc command -v gcc
		need g++ command -v g++
		need procps command -v pgrep
		need python3 command -v python3
		;;
	compilers)
		need gcc command -v gcc
		need clang command -v clang
		need lld command -v ld.lld
		need libclang-rt-14-dev clang_links -fsanitize=thread main
		;;
	fuzz)
		need clang command -v clang
		need libclang-rt-14-dev clang_links -fsanitize=fuzzer,address LLVMFuzzerTestOneInput
		;;
	witness)
		need bpftrace command -v bpftrace
		need gdb command -v gdb
		need binutils command -v readelf
		need libghc-ghc-events-dev command -v ghc-events
		need ghc command -v ghc
		;;
	bench)
		need valgrind command -v valgrind
		need bpftrace command -v bpftrace
		need lttng-tools command -v lttng
		need liblttng-ust-dev header lttng/tracepoint.h
		;;
	*)
		echo "packages.sh: no set \"$set\"; there are build, check, fuzz, witness, bench, compilers" >&2
		exit 2
		;;
	esac
done

[ -n "$missing" ] || exit 0
line="apt-get install -y$missing"
if [ "${VMTAP_NO_INSTALL:-0}" != 1 ] && command -v apt-get >/dev/null 2>&1; then
	as=
	[ "$(id -u)" = 0 ] || as="sudo -n"
	if [ -z "$as" ] || sudo -n true 2>/dev/null; then
		echo "  INSTALL$missing"
		export DEBIAN_FRONTEND=noninteractive
		install_packages() {
			$as apt-get install -y -qq --no-install-recommends "$@" >/dev/null
		}
		$as apt-get update -qq >/dev/null
		# shellcheck disable=SC2086
		install_packages $missing || for package in $missing; do
			install_packages "$package"
		done
		VMTAP_NO_INSTALL=1 exec sh "$0" "$@"
	fi
fi
echo "missing packages; as root, run: $line" >&2
exit 1
