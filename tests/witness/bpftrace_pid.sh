#!/bin/bash
# bpftrace attaches to a running process (-p), in each way of linking the library: with the
# archive, with libvmtap.so, and an extension that fires from a shared object. The process
# fires one event again and again until it has been seen, so nothing depends on timing; then it
# fires a known number of events, whose count, strings and numbers must be right. When the tracer
# has ended, the guard is closed again.
set -u
. tests/witness/bpftrace
need_bpftrace

cat >"$TMPDIR/fire.c" <<'END'
#include <vmtap.h>

#if defined(EXTENSION) || !defined(EXTENDED)
static struct vmtap_name class_name = VMTAP_NAME("Witness");
static struct vmtap_name methods[] = { VMTAP_NAME("a"), VMTAP_NAME("method two"),
	VMTAP_NAME("a_longer_name_for_the_third_of_the_methods") };
static struct vmtap_name file_name = VMTAP_NAME("lib/witness.toy");

/* Line 0 shows that the process runs; only the other lines are counted. */
void fire(int line)
{
	VMTAP_METHOD_ENTRY(&class_name, &methods[line % 3], &file_name, line, 4000000000u);
}

int is_open(void)
{
	return VMTAP_METHOD_ENTRY_ENABLED();
}
#endif

#ifndef EXTENSION
#include <poll.h>
#include <stdio.h>

void fire(int line);
int is_open(void);

int main(void)
{
	struct pollfd input = { .fd = 0, .events = POLLIN };
	int line = 0, tries = 0;

	if (vmtap_start(NULL))
		return 1;
	puts("ready");
	fflush(stdout);
	while (poll(&input, 1, 5) == 0)
		fire(0);
	for (line = 1; line <= 3000; line++)
		fire(line);
	puts("fired");
	fflush(stdout);
	getchar();
	getchar();
	while (is_open() && tries++ < 2000)
		poll(NULL, 0, 5);
	puts(is_open() ? "still open" : "closed");
	vmtap_stop();
	return 0;
}
#endif
END

build() { # output, then flags
	local output=$TMPDIR/$1
	shift
	"$CC" -O2 -D_GNU_SOURCE -Iinclude -I"$BUILD/include" \
		${VMTAP_SANITIZED:+-fsanitize=address,undefined} -o "$output" "$TMPDIR/fire.c" "$@" -pthread
}
part=$BUILD/libvmtap_probes.a
build archive "$BUILD/libvmtap.a" &&
	build library "$part" -L"$BUILD" -lvmtap &&
	build libextension.so -fPIC -shared -DEXTENSION "$part" &&
	build extended -DEXTENDED -L"$TMPDIR" -lextension -L"$BUILD" -lvmtap "$part" || exit 1
export LD_LIBRARY_PATH=$TMPDIR:$BUILD

expect_line() { # the next line that the target prints
	local line
	if ! read -r -t 60 -u "$from_target" line || [ "$line" != "$1" ]; then
		echo "the target says \"${line:-nothing}\" instead of \"$1\""
		return 1
	fi
}

witness() { # program, object with the probes
	local program=$TMPDIR/$1 object=$TMPDIR/$2 tracer target
	"$program" <"$TMPDIR/to" >"$TMPDIR/from" 2>"$TMPDIR/target" &
	target=$!
	children+=("$target")
	expect_line ready || return 1
	cat >"$TMPDIR/trace.bt" <<-END
	usdt:$object:vm:method__entry /arg3 == 0/ {
		if (!@seen) { printf("seen\n"); }
		@seen = 1;
	}
	usdt:$object:vm:method__entry /arg3 != 0/ {
		@count[str(arg0), str(arg1), str(arg2), arg4] = count();
		@lines = sum(arg3);
	}
	END
	: >"$TMPDIR/traced" # else the previous tracer's output would count as this one's
	bpftrace -B none -p "$target" "$TMPDIR/trace.bt" >"$TMPDIR/traced" 2>"$TMPDIR/tracer" &
	tracer=$!
	children+=("$tracer")
	if ! wait_line '^seen' "$TMPDIR/traced" "$tracer"; then
		echo "bpftrace has seen nothing: $(tail -n 2 "$TMPDIR/tracer")"
		return 1
	fi
	echo >&"$to_target"
	expect_line fired || return 1
	end_tracers "$tracer"
	echo >&"$to_target"
	expect_line closed || return 1
	wait "$target" 2>/dev/null
	children=()
	sed -n '/^@seen/d; /^@/p' "$TMPDIR/traced" | sort >"$TMPDIR/got"
	sort >"$TMPDIR/expected" <<-END
	@count[Witness, a, lib/witness.toy, 4000000000]: 1000
	@count[Witness, method two, lib/witness.toy, 4000000000]: 1000
	@count[Witness, a_longer_name_for_the_third_of_the_methods, lib/witness.toy, 4000000000]: 1000
	@lines: 4501500
	END
	diff "$TMPDIR/expected" "$TMPDIR/got" || { cat "$TMPDIR/traced" "$TMPDIR/tracer" && return 1; }
}

# Opened here for reading and writing, so that neither side waits for the other to open it.
mkfifo "$TMPDIR/to" "$TMPDIR/from" || exit 1
exec {to_target}<>"$TMPDIR/to" {from_target}<>"$TMPDIR/from"
failed=0
for way in "archive archive" "library library" "extended libextension.so"; do
	# shellcheck disable=SC2086
	if witness $way; then
		echo "$way: agrees"
	else
		echo "$way: FAILED"
		failed=1
	fi
done
exit $failed
