#!/bin/bash
# On x86-64 a guard is two instructions on the straight path: cmpl $0, word; jne. With gcc
# and clang, in PIE, non-PIE and a shared object, whichever providers are opted in to.
set -eu
case $(uname -m) in x86_64 | amd64) ;; *) echo "instructions are known for x86-64 only" && exit 77 ;; esac
cat >"$TMPDIR/guard.c" <<'C'
#include <vmtap.h>
void one(struct vmtap_name *class_, uint32_t thread);
void one(struct vmtap_name *class_, uint32_t thread)
{
	VMTAP_METHOD_ENTRY(class_, class_, class_, 12, thread);
}
int two(uint32_t *counter, uint32_t thread);
int two(uint32_t *counter, uint32_t thread)
{
	++*counter;
	VMTAP_THREAD_RUN(1, thread);
	return 7;
}
C
for cc in gcc clang; do
	command -v $cc >/dev/null || { echo "no $cc" && exit 77; }
	for flags in "-O2 -fPIE -DVMTAP_PROVIDER_RUBY -DVMTAP_PROVIDER_CCL -DVMTAP_PROVIDER_HASKELLEVENT" \
		"-O2 -fPIE" "-O2 -fPIE -masm=intel" "-O2 -fPIC -masm=intel" "-O3 -fPIE" "-O2 -fno-pie" "-O2 -fPIC"; do
		# shellcheck disable=SC2086
		$cc -std=gnu11 $flags -fno-stack-protector -fcf-protection=none -Iinclude -I"$BUILD/include" \
			-c -o "$TMPDIR/guard.o" "$TMPDIR/guard.c"
		code() { objdump -d --no-show-raw-insn "$TMPDIR/guard.o" | awk -v f="<$1>:" '$2 == f { on = 1; next } on && NF == 0 { exit } on { print $2 }'; }
		got=$(code one | head -n 3 | xargs)
		[ "$got" = "cmpl jne ret" ] || { echo "$cc $flags: a guard is $(code one | xargs)" && exit 1; }
		got=$(code two | grep -A1 '^cmp' | head -n 2 | xargs)
		[ "$got" = "cmpl jne" ] || { echo "$cc $flags: a guard is $(code two | xargs)" && exit 1; }
	done
done
