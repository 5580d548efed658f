#!/bin/sh
# Installs the Debian packages that a make target needs.
#
#   sh src/packages.sh SET...        build, modules, check, fuzz, witness, bench, compilers, deb, format, cache
#
# The build needs the compiler $CC, by default gcc. The set "compilers" contains further
# compilers that some tests use if they are installed.
#
# A package counts as installed if the things it is needed for are found, so this works on
# other systems too. Missing packages are installed if that needs no question (root, or sudo
# without a password); if one of them cannot be installed, the others still are. If packages
# are missing at the end, one line says what to install, and the status is 1.
# VMTAP_NO_INSTALL=1 never installs anything.
set -u

missing=
need() { # PACKAGE, and a command that succeeds if it is installed
	package=$1
	shift
	case " $missing " in *" $package "*) return ;; esac
	"$@" >/dev/null 2>&1 || missing="$missing $package"
}
# The same for a package that only some verbs need: without it, the build leaves them out.
optional=
left_out=
want() { # PACKAGE, what is left out without it, and a command
	package=$1
	without=$2
	shift 2
	"$@" >/dev/null 2>&1 && return
	optional="$optional $package"
	left_out="$left_out${left_out:+, }$without ($package is missing)"
}
header() {
	printf '#include <%s>\n' "$1" | "${CC:-gcc}" -E -x c - ||
		[ -e "/usr/include/$1" ] || ls /usr/include/*-linux-*/"$1"
}
sdt() {
	command -v dtrace && header sys/sdt.h
}
clang_links() { # FLAG FUNCTION: whether clang can link a program with the flag's run-time library
	echo "int $2(void) { return 0; }" | clang "$1" -x c - -o /dev/null
}

for set; do
	case $set in
	build)
		case ${CC:-gcc} in
		gcc | cc) need gcc command -v "${CC:-gcc}" ;;
		clang) need clang command -v clang ;;
		musl-gcc) need musl-tools command -v musl-gcc ;;
		esac
		need libc6-dev header stdio.h
		need systemtap-sdt-dev sdt
		need libelf-dev header gelf.h
		need libjansson-dev header jansson.h
		need zlib1g-dev header zlib.h
		need binutils command -v ar
		want libzstd-dev 'compressed logs (vmtap record --compress)' header zstd.h
		want libdw-dev 'inlined functions in stacks' header elfutils/libdw.h
		want libiberty-dev 'names of C++ and Rust functions' header libiberty/demangle.h
		want libmicrohttpd-dev 'vmtap serve' header microhttpd.h
		want libncurses-dev 'the screen of vmtap top' header ncursesw/curses.h
		;;
	modules)
		need pkg-config command -v pkg-config
		want liblua5.4-dev 'the module for lua5.4' header lua5.4/lua.h
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
		need llvm command -v llvm-ar
		need lld command -v ld.lld
		need mold command -v mold
		need musl-tools command -v musl-gcc
		need libclang-rt-14-dev clang_links -fsanitize=thread main
		;;
	fuzz)
		need clang command -v clang
		need libclang-rt-14-dev clang_links -fsanitize=fuzzer,address LLVMFuzzerTestOneInput
		;;
	witness)
		need mandoc command -v mandoc
		need zsh command -v zsh
		need lintian command -v lintian
		need debhelper command -v dh
		need dpkg-dev command -v dpkg-buildpackage
		need build-essential dpkg -s build-essential
		need bpftrace command -v bpftrace
		need gdb command -v gdb
		need elfutils command -v eu-stack
		need linux-perf command -v perf
		need binutils command -v readelf
		need libghc-ghc-events-dev command -v ghc-events
		need ghc command -v ghc
		need rustc command -v rustc
		need protobuf-compiler command -v protoc
		need cmake command -v cmake
		need meson command -v meson
		need chromium command -v chromium
		need golang-go command -v go
		need npm command -v npm
		need prometheus command -v prometheus
		need ruby [ -e /usr/bin/ruby ]
		need php-cli [ -e /usr/bin/php ]
		need postgresql [ -d /usr/lib/postgresql ]
		need qemu-system-x86 command -v qemu-system-x86_64
		need busybox-static command -v busybox
		need cpio command -v cpio
		need openjdk-17-jdk-headless [ -e /usr/lib/jvm/java-17-openjdk-amd64/bin/javac ]
		need lua5.4 command -v lua5.4
		need liblua5.4-dev header lua5.4/lua.h
		need lua-penlight [ -e /usr/share/lua/5.4/pl/List.lua ]
		need lua-lpeg [ -e /usr/share/lua/5.4/re.lua ]
		need lua-check [ -e /usr/bin/luacheck ]
		;;
	deb)
		need pkg-config command -v pkg-config
		need liblua5.4-dev header lua5.4/lua.h
		need debhelper command -v dh
		need dpkg-dev command -v dpkg-buildpackage
		need build-essential dpkg -s build-essential
		;;
	cache)
		need ccache [ -x /usr/lib/ccache/gcc ]
		;;
	format)
		need git command -v git
		need clang-format command -v clang-format
		;;
	bench)
		need valgrind command -v valgrind
		need bpftrace command -v bpftrace
		need lttng-tools command -v lttng
		need liblttng-ust-dev header lttng/tracepoint.h
		;;
	*)
		echo "packages.sh: no set \"$set\"; there are build, modules, check, fuzz, witness, bench, compilers, deb, format, cache" >&2
		exit 2
		;;
	esac
done

[ -n "$missing$optional" ] || exit 0
line="apt-get install -y$missing"
if [ "${VMTAP_NO_INSTALL:-0}" != 1 ] && command -v apt-get >/dev/null 2>&1; then
	as=
	[ "$(id -u)" = 0 ] || as="sudo -n"
	if [ -z "$as" ] || sudo -n true 2>/dev/null; then
		echo "  INSTALL$missing$optional"
		export DEBIAN_FRONTEND=noninteractive
		install_packages() {
			$as apt-get install -y -qq --no-install-recommends "$@" >/dev/null
		}
		$as apt-get update -qq >/dev/null
		# shellcheck disable=SC2086
		install_packages $missing $optional || for package in $missing $optional; do
			install_packages "$package"
		done
		VMTAP_NO_INSTALL=1 exec sh "$0" "$@"
	fi
fi
[ -z "$left_out" ] || echo "  This build leaves out: $left_out"
[ -n "$missing" ] || exit 0
echo "missing packages; as root, run: $line" >&2
exit 1
