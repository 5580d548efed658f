#!/bin/bash
# The library under ThreadSanitizer: threads fire, start and end, clients subscribe, finish and
# vanish, the stream stops and starts, with a thread of the library's and without. No suppressions. The halves of the guard words are changed
# by 16-bit volatile stores and tested by assembly, which the detector does not see; everything
# else uses C11 atomics or a lock, which it must see.
# tests: src/shim
# limit: 900
set -eu
[ "${VMTAP_SANITIZED:-0}" != 1 ] || { echo "the library is built with another sanitizer: the same as without" && exit 77; }
command -v clang >/dev/null || { echo "no clang" && exit 77; }
setarch -R true 2>/dev/null || { echo "setarch -R is not permitted" && exit 77; }
echo 'int main(void){return 0;}' >"$TMPDIR/try.c"
clang -fsanitize=thread -o "$TMPDIR/try" "$TMPDIR/try.c" 2>/dev/null && setarch -R "$TMPDIR/try" ||
	{ echo "clang has no ThreadSanitizer here" && exit 77; }

B=$BUILD
sources="$(ls src/shim/*/*.c src/wire/*.c src/base/*.c | grep -vE "wire/(records|log_bytes)") $B/gen/fire.c tests/shim/reader.c tests/shim/stress.c"
clang -std=gnu11 -O1 -g -fsanitize=thread -fno-omit-frame-pointer -D_GNU_SOURCE -pthread \
	-Isrc -Iinclude -I"$B/include" -I"$B/gen" -o "$TMPDIR/stress" $sources "$B/obj/gen/words.o"
export TSAN_OPTIONS="halt_on_error=0 exitcode=66 history_size=4"
setarch -R "$TMPDIR/stress" 10
setarch -R "$TMPDIR/stress" 5 turns
