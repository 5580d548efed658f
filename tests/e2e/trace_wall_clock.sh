#!/bin/bash
# walltimestamp follows the VM's wall clock when that is set, live and in a log. The VM's clock is
# its own: the test sets no clock of the machine.
# tests: src/shim/core/stamp.c
set -u
. tests/e2e/common

cat >"$directory/vm.c" <<'C'
#include <stdint.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <vmtap.h>

static _Atomic long ahead;

/* Replaces the C library's function, for the VM and for the library that it contains. */
int clock_gettime(clockid_t clock, struct timespec *now)
{
	int result = (int)syscall(SYS_clock_gettime, clock, now);

	if (clock == CLOCK_REALTIME)
		now->tv_sec += ahead;
	return result;
}

int main(int argc, char **argv)
{
	if (vmtap_start(NULL))
		return 1;
	VMTAP_USER_MSG(0, "before");
	ahead = 100000;
	for (int i = 0; argc > 1 ? i < 2000 : 1; i++) {
		VMTAP_USER_MSG(0, "after");
		usleep(1000);
	}
	(void)argv;
	vmtap_stop();
}
C
"$CC" -O1 -D_GNU_SOURCE -Iinclude -I"$BUILD/include" -o "$directory/vm" "$directory/vm.c" "$BUILD/libvmtap.a" -pthread \
	${VMTAP_SANITIZED:+-fsanitize=address,undefined} >"$directory/err" 2>&1 || fail "the VM does not build: $(cat "$directory/err")"
script='
vm$target:::user-msg
/copyinstr(arg1) == "before"/
{
	offset = walltimestamp - timestamp;
}
vm$target:::user-msg
/copyinstr(arg1) == "after" && walltimestamp - timestamp - offset > 99000000000000/
{
	printf("%d seconds ahead\n", (walltimestamp - timestamp - offset + 500000000) / 1000000000);
	exit(0);
}
vm$target:::user-msg
/copyinstr(arg1) == "after" && walltimestamp - timestamp != offset/
{
	printf("in between: %d\n", walltimestamp - timestamp - offset);
}
END
{
	printf("the end\n");
}'
expected=$'100000 seconds ahead\nthe end'
run 0 trace -q -c "$directory/vm" -n "$script"
[ "$(grep . "$directory/out")" = "$expected" ] || fail "live"
VMTAP_LOG="$directory/log" "$directory/vm" short || fail "the VM: status $?"
run 0 log --validate "$directory/log"
run 0 trace -q --log "$directory/log" -n "${script//\$target/*}"
[ "$(grep . "$directory/out")" = "$expected" ] || fail "from a log"
