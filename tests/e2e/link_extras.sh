#!/bin/bash
# A static VM contains of the library only what it calls: one that calls vmtap_start() and fires has
# nothing of the extras (samples of the heap, samples of what runs, changes of guards, guest
# stacks), one that calls a function of an extra has that extra and no other, and one that fires
# alone has no runtime. With each set of extras the stream and the log have every event, with a
# thread of the library's and without.
set -eu

fail() {
	echo "$*"
	exit 1
}
flags="-std=gnu11 -O1 -D_GNU_SOURCE -Iinclude -Isrc -I$BUILD/include"
sanitize=
[ "${VMTAP_SANITIZED:-0}" = 1 ] && sanitize="-fsanitize=address,undefined"
# shellcheck disable=SC2086
$CC $flags $sanitize -o "$TMPDIR/count" tests/shim/count.c tests/shim/reader.c

extras="census change sampler walker"
# What the members of the archive define themselves, and no other member does.
mkdir "$TMPDIR/members"
(cd "$TMPDIR/members" && ar x "$OLDPWD/$BUILD/libvmtap.a")
functions() { # FILE: the functions that it contains
	nm --defined-only "$1" | awk 'NF == 3 && $2 ~ /^[tT]$/ { print $3 }' | sed 's/\.[a-z]*\(\.[0-9]*\)*$//' | sort -u
}
for extra in $extras; do
	functions "$TMPDIR/members/vmtap_$extra.o" >"$TMPDIR/$extra.all"
	for other in runtime $extras; do
		[ "$other" = "$extra" ] || functions "$TMPDIR/members/vmtap_$other.o"
	done | sort -u >"$TMPDIR/others"
	comm -23 "$TMPDIR/$extra.all" "$TMPDIR/others" >"$TMPDIR/$extra.own"
done
# So these lists have what they are about.
for pair in census:vmtap_census_register census:census_deliver change:vmtap_on_change sampler:vmtap_sample_take \
	sampler:cpu_timer_begin walker:vmtap_stack_register; do
	grep -qx "${pair#*:}" "$TMPDIR/${pair%:*}.own" || fail "${pair%:*} does not define ${pair#*:}"
done

cat >"$TMPDIR/vm.c" <<'C'
#include "vmtap.h"

int main(int argc, char **argv)
{
	struct vmtap_options options = {.size = sizeof(options), .socket = argv[1]};
	int error;

#ifdef WITH_CENSUS
	vmtap_census_register(NULL);
#endif
#ifdef WITH_CHANGE
	vmtap_on_change(NULL);
#endif
#ifdef WITH_SAMPLER
	if (vmtap_sample_wanted())
		return 2;
#endif
#ifdef WITH_WALKER
	vmtap_stack_register(NULL, NULL);
#endif
	options.without_thread = argc > 2;
	error = vmtap_start(&options);
	if (error)
		return 3;
	for (int i = 0; i < 1000; i++)
		VMTAP_GC_IDLE(1);
	return vmtap_stop() != 0;
}
C

try() { # COMPILER EXTRAS FLAGS...
	local extra mode want got defines=() vm=$TMPDIR/vm
	for extra in $2; do defines+=("-DWITH_${extra^^}"); done
	# shellcheck disable=SC2086
	"$1" $flags $sanitize "${@:3}" "${defines[@]}" -o "$vm" "$TMPDIR/vm.c" "$BUILD/libvmtap.a" -pthread ||
		fail "$* does not link"
	functions "$vm" >"$TMPDIR/vm.functions"
	for extra in $extras; do
		got=$(comm -12 "$TMPDIR/$extra.own" "$TMPDIR/vm.functions" | xargs)
		want=
		case " $2 " in *" $extra "*) want=$(xargs <"$TMPDIR/$extra.own") ;; esac
		[ "$got" = "$want" ] || fail "$*: of $extra the VM has '$got', not '$want'"
	done
	grep -qx server_main "$TMPDIR/vm.functions" || fail "$*: the VM has no server"
	VMTAP_WAIT=1 timeout "${COMMAND_SECONDS:-300}" "$vm" "$TMPDIR/socket" &
	got=$("$TMPDIR/count" "$TMPDIR/socket" lossless) || fail "$*: no stream"
	wait $! || fail "$*: the VM has status $?"
	[ "$got" = "gc-idle 1000 0
cap 1 1000" ] || fail "$*: the stream has $got"
	for mode in "" no-thread; do
		rm -f "$TMPDIR/log"
		# shellcheck disable=SC2086
		VMTAP_LOG=$TMPDIR/log "$vm" "$TMPDIR/socket" $mode || fail "$* $mode: status $? with a log"
		got=$("$VMTAP" trace -q --log "$TMPDIR/log" -n 'gc-idle { @ = count(); }' 2>&1 | xargs)
		[ "$got" = 1000 ] || fail "$* $mode: the log has $got"
	done
}

sets=("" "$extras")
for extra in $extras; do sets+=("$extra"); done
for set in "${sets[@]}"; do try "$CC" "$set"; done
if [ -z "$sanitize" ]; then
	for cc in gcc clang; do
		for linker in bfd gold lld; do
			echo 'int main(void) { return 0; }' >"$TMPDIR/try.c"
			$cc -fuse-ld=$linker -o "$TMPDIR/try" "$TMPDIR/try.c" 2>/dev/null || continue
			for set in "" "census walker" "$extras"; do
				try $cc "$set" -fuse-ld=$linker
				try $cc "$set" -fuse-ld=$linker -rdynamic
				[ $linker = gold ] || try $cc "$set" -fuse-ld=$linker -static
			done
		done
	done
fi

# An extension that contains the library uses the runtime of an executable that exports it. What the
# executable lacks, the extension cannot register: nobody would ask for it.
cat >"$TMPDIR/extension.c" <<'C'
#include "vmtap.h"

static void take(struct vmtap_census *census, void *context)
{
	(void)census;
	(void)context;
}

static void changed(void *context)
{
	(void)context;
}

static void walk(struct vmtap_stack *stack, void *context)
{
	(void)stack;
	(void)context;
}

int try_all(int *results)
{
	static const struct vmtap_census_options census = {
		.size = sizeof(census), .by = VMTAP_CENSUS_BY_CLASS, .take = take};
	static const struct vmtap_change_options change = {.size = sizeof(change), .changed = changed};
	static const struct vmtap_sample_options sample = {.size = sizeof(sample)};

	VMTAP_GC_IDLE(1);
	results[0] = vmtap_census_register(&census);
	results[1] = vmtap_on_change(&change);
	results[2] = vmtap_sample_register(&sample);
	results[3] = vmtap_stack_register(walk, NULL);
	return vmtap_census_register(NULL) || vmtap_on_change(NULL) || vmtap_sample_register(NULL) ||
		vmtap_stack_register(NULL, NULL);
}
C
cat >"$TMPDIR/host.c" <<'C'
#include "vmtap.h"
#include <dlfcn.h>
#include <stdio.h>

int main(int argc, char **argv)
{
	void *extension = argc > 1 ? dlopen(argv[1], RTLD_NOW) : NULL;
	int (*try_all)(int *) = extension ? (int (*)(int *))dlsym(extension, "try_all") : NULL;
	int results[4], error = try_all ? try_all(results) : vmtap_start(NULL) + vmtap_stop();

	if (!error)
		printf("%d %d %d %d\n", results[0], results[1], results[2], results[3]);
	return error;
}
C
# shellcheck disable=SC2086
$CC $flags $sanitize -fPIC -shared -o "$TMPDIR/extension.so" "$TMPDIR/extension.c" "$BUILD/libvmtap.a" -pthread
registers() { # EXPECTED FLAGS...
	local got
	# shellcheck disable=SC2086
	$CC $flags $sanitize "${@:2}" -o "$TMPDIR/host" "$TMPDIR/host.c" "$BUILD/libvmtap.a" -pthread -ldl
	got=$("$TMPDIR/host" "$TMPDIR/extension.so") || fail "${*:2}: the host has status $?"
	[ "$got" = "$1" ] || fail "${*:2}: an extension's registrations return $got, not $1"
}
all=(-Wl,-u,vmtap_census_register -Wl,-u,vmtap_on_change -Wl,-u,vmtap_sample_register -Wl,-u,vmtap_stack_register)
registers "-95 -95 -95 -95" -rdynamic
registers "0 -95 -95 -95" -rdynamic "${all[0]}"
registers "0 0 0 0" -rdynamic "${all[@]}"
registers "0 0 0 0"
registers "0 0 0 0" -no-pie -fno-pie -rdynamic "${all[@]}"

# Nothing of the runtime without a call of it.
cat >"$TMPDIR/plain.c" <<'C'
#include "vmtap.h"

int main(void)
{
	VMTAP_GC_IDLE(1);
	return 0;
}
C
# shellcheck disable=SC2086
$CC $flags $sanitize -o "$TMPDIR/plain" "$TMPDIR/plain.c" "$BUILD/libvmtap.a"
functions "$TMPDIR/plain" >"$TMPDIR/vm.functions"
for member in runtime $extras; do
	functions "$TMPDIR/members/vmtap_$member.o"
done | grep -v '^_' | sort -u >"$TMPDIR/others"
left=$(comm -12 "$TMPDIR/others" "$TMPDIR/vm.functions" | xargs)
[ -z "$left" ] || fail "a VM that only fires contains $left"

# The shared library contains all, and exports nothing of what its parts have in common.
for extra in $extras; do
	for name in $(grep '^vmtap_' "$TMPDIR/$extra.own"); do
		nm -D --defined-only "$BUILD/libvmtap.so" | grep -qw "$name" || fail "libvmtap.so lacks $name"
	done
done
left=$(nm -D "$BUILD/libvmtap.so" | grep -E 'vmtap_(internal|extra)_' || true)
[ -z "$left" ] || fail "libvmtap.so exports $left"
