#!/bin/bash
# A binary has the sites of the probes that its code refers to, and no others, in each build of
# tests/shim/every_builds.sh: provider vm's, and those of a provider of its own that vmtap generate
# has split. The builds are run with all guards open and with a client, whose stream offers the same
# probes. VMTAP_X_ENABLED() alone brings no site; VMTAP_FIRE() brings its own, vmtap_fire() and
# --whole-archive bring all; a compatible provider comes whole.
# limit: 900
set -u
VMTAP=${VMTAP:-build/vmtap}
BUILD=${BUILD:-build}
CC=${CC:-gcc}
TMPDIR=$(mktemp -d)
export TMPDIR
trap 'rm -rf "$TMPDIR"' EXIT
directory=$TMPDIR
failed=0
if [ "${VMTAP_SANITIZED:-0}" = 1 ]; then
	echo "a library built with sanitizers does not link without them"
	exit 77
fi
. tests/shim/every_builds.sh
few_flags="-std=gnu11 -Wall -Wextra -Werror -g -Iinclude -I$BUILD/include -I$directory -DFEW_STREAM"

fail() {
	echo "FAILED: $*"
	failed=1
}

# The probes of which an object has a live site; each one once.
sites() { # FILE
	"$VMTAP" list --json "$1" | python3 -c '
import json, sys
for probe in sorted(p["provider"] + ":" + p["name"] for p in json.load(sys.stdin)["probes"] for s in p["sites"]):
    print(probe)' | xargs
}
stream_probes() { # PROGRAM
	timeout "${COMMAND_SECONDS:-300}" "$VMTAP" trace --via=stream -l -c "$1 $directory/socket" 2>&1 |
		awk '$2 ~ /^(vm|own)[0-9]+$/ { sub(/[0-9]+$/, "", $2); print $2 ":" $NF }' | sort | xargs
}

cat >"$directory/own.d" <<'D'
enum own_kind { OWN_FIRST, OWN_FIFTH = 5 };
provider own {
	/* Never fired here. */
	probe tock(uint32_t kind);
	/* Fired twice. @kind enum own_kind */
	probe tick(uint32_t kind);
	/* Never fired here, either. */
	probe object();
};
D
"$VMTAP" generate --split --list -d "$directory" "$directory/own.d" >"$directory/files" || exit 1
[ "$(wc -l <"$directory/files")" = 4 ] || fail "generate --list: $(cat "$directory/files")"

# The archiver that knows clang's byte code; none may be installed where clang is.
llvm_archiver() {
	local name
	for name in "$(clang -print-prog-name=llvm-ar)" llvm-ar-14; do
		command -v "$name" && return
	done
	return 1
}

# Makes the archive of the own provider, in a way's own flags.
own_archive() { # COMPILER FLAGS
	local file objects=()
	rm -f "$directory/own.a"
	while read -r file; do
		"$1" $2 -I"$BUILD/include" -Iinclude -I"$directory" -mno-red-zone -c -o "${file%.c}.o" "$file" || return 1
		objects+=("${file%.c}.o")
	done <"$directory/files"
	case "$1 $2" in
	gcc*-flto*) gcc-ar rcs "$directory/own.a" "${objects[@]}" ;;
	clang*-flto*) "$(llvm_archiver)" rcs "$directory/own.a" "${objects[@]}" ;;
	*) ar rcs "$directory/own.a" "${objects[@]}" ;;
	esac
}

try() { # NAME PROGRAM SITES-FILE
	local expected="own:tick vm:cap-enable vm:gc-idle vm:gc-mark-begin vm:gc-work" got
	tried=$((tried + 1))
	got=$(sites "$3")
	# some linkers drop what only an unused function refers to
	case $1 in *gc*) [[ $got = *cap-enable* ]] || expected=${expected/vm:cap-enable /} ;; esac
	case $1 in *lto*) [[ $got = *cap-enable* ]] || expected=${expected/vm:cap-enable /} ;; esac
	[ "$got" = "$expected" ] || fail "$1: it has other sites: $got"
	timeout "${COMMAND_SECONDS:-300}" "$2" alone >"$directory/out" 2>&1 || fail "$1: alone: status $?"
	grep -q '^done 0$' "$directory/out" || fail "$1: alone: $(cat "$directory/out")"
	[ "$(stream_probes "$2")" = "$expected" ] || fail "$1: the stream offers $(stream_probes "$2")"
	timeout "${COMMAND_SECONDS:-300}" "$VMTAP" trace --via=stream -q -c "$2 $directory/socket" -n '
		vm*:::gc-idle, vm*:::gc-work, vm*:::gc-mark-begin { printf("%s %d\n", probename, arg0); }
		own*:::tick /arg0 == OWN_FIFTH/ { printf("fifth\n"); }
		own*:::tick { printf("%s %d\n", probename, arg0); }' >"$directory/out" 2>"$directory/err" ||
		fail "$1: trace: $(cat "$directory/err")"
	[ "$(grep -v '^done' "$directory/out" | xargs)" = "gc-idle 1 gc-work 2 gc-mark-begin 4 fifth tick 5 tick 6" ] ||
		fail "$1: trace shows $(cat "$directory/out" "$directory/err")"
}

fail_or_skip() { # what the compiler says is in $directory/log
	if every_tools $compiler $linker "$compile" "$link"; then
		fail "$name: $(cat "$directory/log")"
	else
		echo "left out: $name: no tools for it"
	fi
}

# For tests/witness/sites_tracer.sh: bpftrace attaches to these sites, and opens their guards.
traced() { # NAME PROGRAM SITES-FILE
	tried=$((tried + 1))
	timeout "${COMMAND_SECONDS:-300}" bpftrace -B none -e "
		usdt:$3:vm:gc__idle, usdt:$3:vm:gc__work, usdt:$3:vm:gc__mark__begin { printf(\"%s %d\\n\", probe, arg0); }
		usdt:$3:own:tick { printf(\"%s %d\\n\", probe, arg0); }" -c "$2 $directory/socket" \
		>"$directory/out" 2>"$directory/err" </dev/null
	got=$(sed -n 's/^usdt:.*:\(.*\)/\1/p' "$directory/out" | xargs)
	[ "$got" = "gc__idle 1 gc__work 2 gc__mark__begin 4 tick 5 tick 6" ] ||
		fail "$1: bpftrace sees $got: $(grep -v RLIMIT "$directory/err" | head -3)"
}
[ "${SITES_TRACER:-0}" = 0 ] || try() { traced "$@"; }

tried=0
for compiler in gcc clang; do
	command -v $compiler >/dev/null || { echo "left out: $compiler: not installed" && continue; }
	every_linkers $compiler
	while read -r way compile; do
		link=${compile#* / } compile=${compile% / *} made=
		for linker in "${linkers[@]}"; do
			name=$compiler-$linker-$way
			# shellcheck disable=SC2053
			[[ $name == ${EVERY_ONLY:-*} ]] || continue
			case "$compiler $compile" in
			clang*-flto*) llvm_archiver >/dev/null || { echo "no tools for $name: llvm-ar is missing"; continue; } ;;
			esac
			if [ -z "$made" ]; then
				kind=
				case $way in shared*) kind=-DFEW_SHARED ;; esac
				own_archive $compiler "-std=gnu11 $compile" || { fail "$name: no archive"; continue; }
				$compiler $few_flags $compile $kind -c -o "$directory/few.o" tests/shim/few.c || exit 1
				made=1
			fi
			case $way in
			shared*)
				$compiler -fuse-ld=$linker $link -o "$directory/libfew.so" "$directory/few.o" \
					"$directory/own.a" "$BUILD/libvmtap.a" -pthread >"$directory/log" 2>&1 &&
					$compiler -fuse-ld=$linker -DFEW_HOST -o "$directory/few" tests/shim/few.c "$directory/libfew.so" \
						-Wl,-rpath,"$directory" >>"$directory/log" 2>&1 ||
					{ fail_or_skip; continue; }
				try "$name" "$directory/few" "$directory/libfew.so"
				;;
			*)
				$compiler -fuse-ld=$linker $link -o "$directory/few" "$directory/few.o" \
					"$directory/own.a" "$BUILD/libvmtap.a" -pthread >"$directory/log" 2>&1 ||
					{ fail_or_skip; continue; }
				try "$name" "$directory/few" "$directory/few"
				;;
			esac
		done
	done < <(every_ways)
done
echo "$tried builds"
[ $tried -gt 0 ] || fail "nothing was built"

[ "${SITES_TRACER:-0}" = 0 ] || exit $failed

# Who asks for more gets it.
own_archive "$CC" -O2 || exit 1
count() { # FLAGS PATTERN WANTED WHAT
	$CC $few_flags $1 -o "$directory/few" tests/shim/few.c "$directory/own.a" ${5:-} "$BUILD/libvmtap.a" -Wl,--no-whole-archive -pthread ||
		{ fail "$4: it is not built"; return; }
	local got
	got=$(sites "$directory/few" | tr ' ' '\n' | grep -c "^$2:")
	[ "$got" = "$3" ] || fail "$4: $got sites of $2, expected $3"
	"$directory/few" alone >/dev/null || fail "$4: it does not run"
}
all=$(grep -cE '^[[:space:]]*probe ' probes/vm.d)
count "" vm 4 "few"
count "-Wl,-u,vmtap_fire" vm "$all" "vmtap_fire()"
count "" vm "$all" "--whole-archive" -Wl,--whole-archive
ruby=$(grep -cE '^[[:space:]]*probe ' probes/compat/ruby.d)
count -DVMTAP_PROVIDER_RUBY ruby "$ruby" "a compatible provider"
count -DVMTAP_PROVIDER_RUBY vm 4 "beside a compatible provider"
count "" ruby 0 "not opted in"
exit $failed
