#!/bin/bash
# The public header compiles without a warning as C11 and later and as C++11 and later, with gcc
# and clang, with every probe used, on its own, and on systems other than Linux. With
# -DVMTAP_DISABLE, and as generated for a system without sys/sdt.h, it needs no library, evaluates
# no argument and causes no warning.
# limit: 900
set -eu
I="-Iinclude -I$BUILD/include -I$BUILD/gen -DVMTAP_PROVIDER_RUBY -DVMTAP_PROVIDER_CCL -DVMTAP_PROVIDER_HASKELLEVENT"
warnings="-Wall -Wextra -Wpedantic -Werror -Wshadow -Wconversion -Wunused -Wundef -Wsign-conversion -Wcast-qual -Wcast-align"
alone() { # compiler language flags
	printf '#include <vmtap.h>\nstruct vmtap_name name = VMTAP_NAME("x");\nuint16_t cap = VMTAP_NO_CAP;\n' |
		$1 -x "$2" $warnings $3 -fsyntax-only $I - || { echo "$1 $3: the header alone warns" && exit 1; }
}

cat >"$TMPDIR/all.c" <<'C'
#include <vmtap.h>
#ifdef __cplusplus
extern "C" {
#endif
int evaluated;
static uint64_t test_value(unsigned p, unsigned i) { evaluated++; return p + i; }
static struct vmtap_name *test_name(unsigned p, unsigned i)
{
	static struct vmtap_name name = VMTAP_NAME("name");
	evaluated++;
	(void)p;
	(void)i;
	return &name;
}
static const char *test_text(unsigned p, unsigned i) { evaluated++; (void)p; (void)i; return "text"; }
#include "test_calls.h"
#ifdef __cplusplus
}
#endif
static void only_for_a_probe(uint32_t thread)
{
	int why = 3; /* used by the probe alone */
	struct vmtap_guards state = {{0}};
	VMTAP_PAUSE_BEGIN(0, VMTAP_NAME_ONCE("once", 4));
	if (VMTAP_THREAD_STOP_ENABLED())
		VMTAP_THREAD_STOP(VMTAP_NO_CAP, thread, (uint16_t)why, 0);
	if (thread)
		VMTAP_THREAD_EXIT(0, thread);
	else
		VMTAP_THREAD_RUN(0, thread);
	vmtap_poll(&state, &state);
}
int main(void)
{
	struct vmtap_name name;
	vmtap_name_init(&name, "x", 1);
	for (unsigned i = 0; i < TEST_CALLS; i++)
		test_calls[i]();
	only_for_a_probe(0);
#ifdef WITH_RUNTIME
	VMTAP_PAUSE_END(0, vmtap_name_intern("interned", 8));
	if (vmtap_start(0) != -ENOSYS || vmtap_stop() || vmtap_name_intern("x", 1))
		return 1;
#endif
	return evaluated + (vmtap_guard(VMTAP_PROBE_RAISE) && *vmtap_guard(VMTAP_PROBE_RAISE)) +
		((int)TEST_CALLS != (int)VMTAP_PROBES);
}
C
cp "$TMPDIR/all.c" "$TMPDIR/all.cc"
"$BUILD/host/generate" probes/vm.d --no-sites "$TMPDIR/vmtap_probes.h" probes/compat/*.d

for compiler in gcc clang; do
	command -v $compiler >/dev/null || { echo "left out: $compiler: not installed" && continue; }
	for standard in c11 c17 gnu17; do
		alone "$compiler -std=$standard" c "-Wstrict-prototypes -Wc++-compat"
		alone "$compiler -std=$standard" c -U__linux__
	done
done
for compiler in g++ clang++; do
	command -v $compiler >/dev/null || { echo "left out: $compiler: not installed" && continue; }
	for standard in c++11 c++14 c++17 c++20; do
		alone "$compiler -std=$standard" c++ -Wold-style-cast
		alone "$compiler -std=$standard" c++ "-Wold-style-cast -U__linux__"
		alone "$compiler -std=$standard" c++ "-Wold-style-cast -DVMTAP_DISABLE"
	done
done

tried=0
for compiler in "gcc -std=c11" "gcc -std=gnu11" "g++ -std=c++17" "g++ -std=gnu++17" \
	"clang -std=c11" "clang -std=gnu11" "clang++ -std=c++17" "clang++ -std=gnu++17"; do
	command -v "${compiler%% *}" >/dev/null || { echo "left out: $compiler: not installed" && continue; }
	tried=$((tried + 1))
	case $compiler in *++\ *) source=$TMPDIR/all.cc ;; *) source=$TMPDIR/all.c ;; esac
	for level in -O0 -O2; do
		say() { echo "$compiler $level $1" && exit 1; }
		$compiler $level $warnings $I -c -o "$TMPDIR/all.o" "$source" || say "does not compile"
		# Nobody listens: no argument is evaluated. The probe part alone is enough.
		$compiler $level $I -o "$TMPDIR/all" "$source" "$BUILD/libvmtap_probes.a" ${VMTAP_SANITIZED:+-fsanitize=address,undefined}
		"$TMPDIR/all" || say "evaluates arguments while nobody listens"
		# Compiled out: no library, no argument, no warning; vmtap_start() still exists.
		$compiler $level $warnings $I -DVMTAP_DISABLE -DWITH_RUNTIME -o "$TMPDIR/none" "$source" || say "-DVMTAP_DISABLE does not compile"
		"$TMPDIR/none" || say "-DVMTAP_DISABLE evaluates arguments"
		! nm "$TMPDIR/none" | grep -E 'vmtap_fire_|_semaphore' || say "-DVMTAP_DISABLE leaves symbols"
		! readelf -n "$TMPDIR/none" | grep -q stapsdt || say "-DVMTAP_DISABLE leaves sites"
		# A library built without sys/sdt.h: its header turns all probes off.
		$compiler $level $warnings -DWITH_RUNTIME -iquote "$TMPDIR" -I"$TMPDIR" -Iinclude -I"$BUILD/gen" -o "$TMPDIR/none" "$source" ||
			say "without sys/sdt.h does not compile"
		"$TMPDIR/none" || say "without sys/sdt.h evaluates arguments"
	done
done
[ "$tried" -gt 0 ] || { echo "no compiler" && exit 77; }
