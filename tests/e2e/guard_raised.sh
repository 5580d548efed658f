#!/bin/bash
# A guard that is raised while a loop runs takes effect in that loop, whatever the optimiser
# does: gcc and clang, -O2, -O3, -flto. The loop has no call and no store that could make a
# compiler read the word again. With -flto the compiler sees the library, too; the other programs
# are linked with one library for each compiler.
# tests: src/shim/core/part.c
# limit: 900
set -eu
[ "${VMTAP_SANITIZED:-0}" != 1 ] || { echo "the programs are built without sanitizers: the same ones" && exit 77; }
cat >"$TMPDIR/loop.c" <<'C'
#include <pthread.h>
#include <stdio.h>
#include "shim/reader.h"
#include "vmtap.h"

/* Exits when the probe fires: only then is the argument evaluated. */
static void *loop(void *argument)
{
	unsigned long turns = 0;
	int fired = 0;

	while (!fired) {
		VMTAP_THREAD_RUN(0, (uint32_t)(fired = 1));
		turns++;
	}
	*(unsigned long *)argument = turns;
	return NULL;
}

int main(int argc, char **argv)
{
	struct vmtap_options options = {.size = sizeof(options), .socket = argv[argc - 1]};
	static struct reader reader;
	unsigned long turns;
	pthread_t thread;

	if (vmtap_start(&options) || pthread_create(&thread, NULL, loop, &turns))
		return 1;
	if (!reader_start(&reader, options.socket, 0) || pthread_join(thread, NULL) || !reader_finish(&reader) ||
		reader_received(&reader) != 1) {
		fprintf(stderr, "%llu events: %s\n", (unsigned long long)reader_received(&reader), reader.error);
		return 1;
	}
	return 0;
}
C
flags="-std=gnu11 -D_GNU_SOURCE -Iinclude -Isrc -Itests -I$BUILD/include -I$BUILD/gen"
library="tests/shim/reader.c $(ls src/shim/*/*.c src/wire/*.c src/base/*.c | grep -vE "wire/(records|log_bytes)" | xargs) $BUILD/gen/fire.c"
for cc in gcc clang; do
	command -v $cc >/dev/null || { echo "no $cc" && exit 77; }
	mkdir "$TMPDIR/$cc"
	# The build has this library of its own compiler's.
	sources=$library built="$BUILD/libruntime.a $BUILD/libcore.a $BUILD/libvmtap_probes.a"
	if [ "$cc" = "$CC" ]; then sources=tests/shim/reader.c; else built=$BUILD/obj/gen/words.o; fi
	for source in $sources; do
		# shellcheck disable=SC2086
		$cc $flags -O2 -fPIE -c -o "$TMPDIR/$cc/$(basename "$source" .c).o" "$source"
	done
	for level in -O2 -O3 "-O2 -flto" "-O3 -fno-pie -no-pie"; do
		link= rest="$TMPDIR/$cc/*.o $built"
		case $level in *-flto) rest="$library $BUILD/obj/gen/words.o" ;; esac
		case "$cc $level" in clang*-flto) command -v ld.lld >/dev/null || { echo "left out: $cc $level: there is no ld.lld" && continue; }; link=-fuse-ld=lld ;; esac
		# shellcheck disable=SC2086
		$cc $flags $level $link -o "$TMPDIR/loop" "$TMPDIR/loop.c" $rest -pthread
		timeout "${COMMAND_SECONDS:-300}" "$TMPDIR/loop" "$TMPDIR/socket" ||
			{ echo "$cc $level: the probe does not fire in the loop" && exit 1; }
	done
done
