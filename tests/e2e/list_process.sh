#!/bin/bash
# vmtap list on a pid: every mapped object, semaphores as they are in the process, files that
# were deleted or replaced, another mount namespace.
# tests: src/cli/list.c src/usdt/process/process_images.c
set -u
. tests/e2e/common

cat >"$directory/extension.c" <<'C'
#define _SDT_HAS_SEMAPHORES 1
#include <sys/sdt.h>
__extension__ unsigned short lang_load_semaphore
	__attribute__((section(".probes"), visibility("hidden")));
void fire(int a)
{
	lang_load_semaphore = 5;
	STAP_PROBE1(lang, load, a);
}
C
cat >"$directory/program.c" <<'C'
#define _SDT_HAS_SEMAPHORES 1
#include <dlfcn.h>
#include <stdio.h>
#include <sys/sdt.h>
#include <unistd.h>
__extension__ unsigned short lang_start_semaphore
	__attribute__((section(".probes"), visibility("hidden")));
int main(int argc, char **argv)
{
	void *extension = argc > 1 ? dlopen(argv[1], RTLD_NOW) : 0;
	void (*fire)(int) = extension ? (void (*)(int))dlsym(extension, "fire") : 0;

	lang_start_semaphore = 3;
	STAP_PROBE1(lang, start, argc);
	if (fire)
		fire(argc);
	puts("ready");
	fflush(stdout);
	pause();
	return 0;
}
C
"$CC" -O2 -shared -fPIC -o "$directory/extension.so" "$directory/extension.c" || exit 77
"$CC" -O2 -o "$directory/program" "$directory/program.c" -ldl || exit 77

# starts a program and waits for its first line; $started is its pid
start() {
	exec {reader}< <(exec "$@")
	started=$!
	pids+=("$started")
	read -r -t 60 -u "$reader" line && [ "$line" = ready ] || fail "$1 did not start"
}

start "$directory/program" "$directory/extension.so"
run 0 list "$started"
# objects are in the order of their addresses
has out "^ +[12] +lang$started +program +main start$"
has out "^ +[12] +lang$started +extension.so +fire load$"
[ "$(wc -l <"$directory/out")" = 3 ] || fail "not two rows"
run 0 list -v -n start "$started"
has out 'semaphore .*in the process 0x[0-9a-f]+, writable, hidden, value 3$'
run 0 list -v -P "lang$started" -m extension.so "$started"
has out 'value 5$'
run 0 list -n 'lang:::load' --json "$started"
python3 - "$directory/out" "$started" <<'PYTHON' || fail "JSON"
import json, sys
probes = json.load(open(sys.argv[1]))["probes"]
assert len(probes) == 1, probes
assert probes[0]["provider"] == "lang" + sys.argv[2] and probes[0]["pid"] == int(sys.argv[2])
assert probes[0]["sites"][0]["semaphore"]["value"] == 5
assert int(probes[0]["sites"][0]["process_address"], 16) > 0
PYTHON

# if its file has been deleted, the program is read from the process
rm "$directory/program"
run 0 list -n start "$started"
has out 'lang[0-9]+ +program +main start$'

# an object whose file was replaced: read through the kernel if that is allowed, else reported
cp "$directory/extension.so" "$directory/other.so"
mv "$directory/other.so" "$directory/extension.so"
"$VMTAP" list -n load "$started" >"$directory/out" 2>"$directory/err"
case $? in
0) has out 'extension.so +fire load$' ;;
3) has err 'extension.so: deleted or replaced' ;;
*) cat "$directory/err" >&2 && fail "a replaced object" ;;
esac

# another root directory, where the path names another file
if [ "$(id -u)" = 0 ] &&
	"$CC" -O2 -static -o "$directory/inside" "$directory/program.c" 2>/dev/null; then
	mkdir -p "$directory/root$directory"
	mv "$directory/inside" "$directory/root$directory/inside"
	echo 'no ELF file' >"$directory/inside"
	start chroot "$directory/root" "$directory/inside"
	run 0 list -n start "$started"
	has out 'inside +main start$'
else
	echo "left out: another root directory: it needs root and a static libc"
fi

# pids that cannot be read: one line, exit 3
run 3 list 4194305
has err '^vmtap: process 4194305 does not exist$'
(cd "$directory" && cp "$TOY" 4194305 && "$VMTAP" list 4194305) 2>"$directory/err" && fail "a file that looks like a pid"
has err '^vmtap: process 4194305 does not exist; the file of that name is ./4194305$'
run 0 list "$directory/4194305"
run 3 list 99999999999999999999
has err 'does not exist'
run 3 list 0
# process 2 is the parent of the kernel's threads only if its name says so
kthread=
[ "$(cat /proc/2/comm 2>/dev/null)" = kthreadd ] && kthread=$(pgrep -P 2 | head -n 1)
if [ -n "$kthread" ]; then
	run 3 list "$kthread"
	has err 'kernel thread|another user'
else
	echo "left out: a kernel thread: none can be seen here"
fi
start bash -c 'echo ready; exec sleep 1000'
run 1 list "$started"
has err 'no probes in process'
exit 0
