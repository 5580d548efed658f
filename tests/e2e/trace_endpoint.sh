#!/bin/bash
# Where a VM's socket is: the default place, a path chosen by the user, a path chosen by the VM,
# which only the kernel's tables show, and a path given to the tracer.
# tests: src/targets/find/endpoint.c src/shim/server/socket_directory.c
set -u
. tests/e2e/common
export XDG_RUNTIME_DIR=$directory
toy=$(realpath "$TOY")

cp tests/toy/loop.toy "$directory/loop.toy"
script='vm$target:::method-entry /n++ == 0/ { printf("%s of %d\n", copyinstr(arg1), $target); exit(0); }'
traces() { # options that name the process, its expected pid
	run 0 trace -q "${@:2}" -n "$script"
	[ "$(cat "$directory/out")" = "work of $1" ] || fail "trace ${*:2} sees '$(cat "$directory/out")'"
}
start() { # environment
	env "$@" "$TOY" "$directory/loop.toy" >"$directory/toy" 2>&1 &
	pid=$!
	pids+=("$pid")
	socket=${1#VMTAP_SOCKET=}
	[ "$socket" = "$1" ] && socket=$directory/vmtap/$pid
	await "no socket at $socket" test -S "$socket"
	await_stream "$pid"
}

# the default place; the user's path
start A=B
traces "$pid" -p "$pid"
traces "$pid" --socket "$directory/vmtap/$pid"
start VMTAP_SOCKET="$directory/own"
[ -e "$directory/vmtap/$pid" ] && fail "a socket in the default place too"
traces "$pid" -p "$pid"
traces "$pid" --socket "$directory/own"
first=$pid

# a dead process's socket, whose file is left, is replaced; a live one stays, and both VMs are found
kill -9 "$pid"
wait "$pid" 2>/dev/null
[ -S "$directory/own" ] || fail "no socket is left over"
start VMTAP_SOCKET="$directory/own"
await_stream "$pid"
traces "$pid" --socket "$directory/own"
[ "$pid" != "$first" ] || fail "the same process"
second=$pid
VMTAP_SOCKET=$directory/own "$TOY" "$directory/loop.toy" >"$directory/toy" 2>&1 &
pid=$!
pids+=("$pid")
await "no default place instead" test -S "$directory/vmtap/$pid"
traces "$pid" -p "$pid"
traces "$second" --socket "$directory/own"

# a relative path, which refers to the directory where the process was started
(cd "$directory" && VMTAP_SOCKET=relative exec "$toy" "$directory/loop.toy") >"$directory/toy" 2>&1 &
pid=$!
pids+=("$pid")
await "no socket at a relative path" test -S "$directory/relative"
traces "$pid" -p "$pid"

# 107 bytes, 108 bytes
long=$directory/$(printf '%0*d' $((106 - ${#directory})) 1)
[ ${#long} = 107 ] || fail "${#long} bytes"
start VMTAP_SOCKET="$long"
traces "$pid" -p "$pid"
traces "$pid" --socket "$long"
echo 'n = 1' >"$directory/short.toy"
VMTAP_SOCKET=${long}0 timeout "${COMMAND_SECONDS:-300}" "$TOY" "$directory/short.toy" >"$directory/out" 2>"$directory/err" ||
	fail "a path of 108 bytes stops the VM"
has err 'no event stream: File name too long \(VMTAP_SOCKET=.*0\)$'
VMTAP_LOG=$directory/none/log "$TOY" "$directory/short.toy" >"$directory/out" 2>"$directory/err" ||
	fail "a log that cannot be made stops the VM"
has err 'no event stream: No such file or directory \(VMTAP_LOG=.*/none/log\)$'
run 3 trace --socket "${long}0" -n "$script"
has err 'at most 107 bytes'

# a path chosen by the VM: only the kernel knows it
cat >"$directory/vm.c" <<'C'
#include <stdio.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <vmtap.h>

/* Another server's socket comes first: the tracer must not talk to it by mistake. */
static void listen_otherwise(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 1))
		perror(path);
}

int main(int argc, char **argv)
{
	struct vmtap_options options = {.size = sizeof(options), .socket = argv[1]};
	struct vmtap_name name = VMTAP_NAME("work");

	if (argc > 2)
		listen_otherwise(argv[2]);
	if (vmtap_start(&options))
		return 1;
	for (;;)
		VMTAP_METHOD_ENTRY(&name, &name, &name, 1, 1);
}
C
"$CC" -O1 -Iinclude -I"$BUILD/include" -o "$directory/vm" "$directory/vm.c" "$BUILD/libvmtap.a" -pthread \
	${VMTAP_SANITIZED:+-fsanitize=address,undefined} >"$directory/err" 2>&1 || fail "the VM does not build"
"$directory/vm" "$directory/authors" "$directory/other" >"$directory/toy" 2>&1 &
pid=$!
pids+=("$pid")
await "no socket of the author's" test -S "$directory/authors"
traces "$pid" -p "$pid"
run 0 record --socket "$directory/authors" -o "$directory/log" --max-size 100000
run 0 log "$directory/log"

# in a container: a path that only exists for the process itself
mkdir "$directory/inside"
if unshare --mount --pid --fork true 2>/dev/null; then
	unshare --mount --pid --fork --kill-child bash -c "mount -t tmpfs none '$directory/inside' &&
		VMTAP_SOCKET='$directory/inside/own' exec '$toy' '$directory/loop.toy'" >"$directory/toy" 2>&1 &
	outer=$!
	pids+=("$outer")
	inner() { pid=$(cat "/proc/$outer/task/$outer/children") && [ -n "$pid" ] &&
		[ -S "/proc/${pid% }/root$directory/inside/own" ]; }
	await "no socket in the container" inner
	[ -e "$directory/inside/own" ] && fail "the container's socket is seen outside"
	traces "${pid% }" -p "${pid% }"
else
	echo "left out: a container: unshare is not permitted"
fi

# a path that is not a socket, and a pid without a process
run 3 trace --socket "$directory/nothing" -n "$script"
has err "'$directory/nothing': No such file"
run 2 trace --socket "$directory/own" -p "$pid" -n "$script"
