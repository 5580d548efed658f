#!/bin/bash
# VMs that cannot have the socket they would have first: another VM has the name, another user the
# directory, the file system is read-only, a symbolic link is in the way, the environment is another
# user's. Each serves all the same, and a tracer finds it, whoever may trace it.
# tests: src/wire/place.c src/targets/find/endpoint.c src/shim/server/socket_directory.c
set -u
. tests/e2e/common
command -v setpriv >/dev/null || { echo "no setpriv" && exit 77; }
[ "$(id -u)" = 0 ] || { echo "only root can create other users' directories" && exit 77; }

# programs and a script that any user can read, and users whom nobody else has
chmod 711 "$directory"
[ "${TMPDIR:-/tmp}" = /tmp ] || chmod 711 "$TMPDIR"
open=$directory/open
mkdir "$open"
cp "$TOY" "$open/toy"
cp "$VMTAP" "$open/vmtap"
cp tests/toy/loop.toy "$open/loop.toy"
chmod -R a+rX "$open"
user=$((200000 + BASHPID % 100000))
other=$((user + 100000))
clean() {
	for pid in "${pids[@]}"; do kill -9 "$pid" 2>/dev/null; done
	rm -rf "$directory" /tmp/vmtap-"$user"* /dev/shm/vmtap-"$user"* /var/tmp/vmtap-"$user"*
	rm -rf /tmp/vmtap-"$other"* "/tmp/target-$user"
	find /tmp /dev/shm /var/tmp -maxdepth 1 -name 'vmtap-*' -user "$user" -exec rm -rf {} +
}
trap clean EXIT
me=(setpriv --reuid="$user" --regid="$user" --clear-groups)
them=(setpriv --reuid="$other" --regid="$other" --clear-groups)
"${me[@]}" true 2>"$directory/err" || { echo "no other users here" && exit 77; }
"${me[@]}" test -x "$open/vmtap" || { echo "other users cannot reach $open" && exit 77; }

script='vm$target:::method-entry /n++ == 0/ { printf("%s of %d\n", copyinstr(arg1), $target); exit(0); }'
traced() { # pid, command before vmtap
	local pid=$1
	shift
	timeout "${COMMAND_SECONDS:-300}" "$@" "$open/vmtap" trace -q -p "$pid" -n "$script" \
		>"$directory/out" 2>"$directory/err" </dev/null || fail "$* vmtap trace -p $pid: status $?"
	[ "$(cat "$directory/out")" = "work of $pid" ] || fail "$* vmtap trace -p $pid prints '$(cat "$directory/out")'"
}
begin() { # command that becomes the VM
	"$@" "$open/toy" "$open/loop.toy" >"$directory/toy" 2>&1 &
	pid=$!
	pids+=("$pid")
}
serves() { # path
	await "no socket at $1 ($(cat "$directory/toy"))" test -S "$1"
	await_stream "$pid"
}
both() { # traced by its own user and by root
	traced "$pid" "${me[@]}"
	traced "$pid" env
}
finish() {
	kill -9 "$pid"
	wait "$pid" 2>/dev/null
}

# Another user has made the directory: the next shared place.
mkdir /tmp/vmtap-"$user"
chown "$other" /tmp/vmtap-"$user"
chmod 700 /tmp/vmtap-"$user"
begin "${me[@]}"
serves "/dev/shm/vmtap-$user/$pid"
both
finish
[ -z "$(ls -A /tmp/vmtap-"$user")" ] || fail "something is in the other user's directory"

# ... and serves there, as if it were the VM: nobody talks to it.
if command -v python3 >/dev/null; then
	begin "${me[@]}"
	serves "/dev/shm/vmtap-$user/$pid"
	chmod 755 /tmp/vmtap-"$user"
	python3 - "/tmp/vmtap-$user/$pid" "$other" >"$directory/heard" 2>&1 <<-'PY' &
		import os, socket, sys
		os.setresuid(*[int(sys.argv[2])] * 3)
		server = socket.socket(socket.AF_UNIX)
		server.bind(sys.argv[1])
		os.chmod(sys.argv[1], 0o777)
		server.listen(8)
		while True:
		    client, _ = server.accept()
		    print(client.recv(1000), flush=True)
	PY
	pids+=($!)
	await "no other server" test -S "/tmp/vmtap-$user/$pid"
	both
	finish
	grep -qvF "b''" "$directory/heard" && fail "the other user's server received $(cat "$directory/heard")"
else
	echo "left out: another user's server: there is no python3"
fi

# A symbolic link instead of the directory.
rm -rf /tmp/vmtap-"$user"
mkdir -m 700 "/tmp/target-$user"
chown "$user" "/tmp/target-$user"
ln -s "/tmp/target-$user" /tmp/vmtap-"$user"
begin "${me[@]}"
serves "/dev/shm/vmtap-$user/$pid"
both
finish
[ -z "$(ls -A "/tmp/target-$user")" ] || fail "the link was followed"

# All names are taken: a random one, which the next VM uses too.
for base in /tmp /dev/shm /var/tmp; do
	rm -rf "$base/vmtap-$user"
	mkdir "$base/vmtap-$user" && chown "$other" "$base/vmtap-$user"
done
for round in 1 2; do
	begin "${me[@]}"
	await_stream "$pid"
	both
	set -- /tmp/vmtap-"$user"-*
	[ $# = 1 ] && [ -S "$1/$pid" ] && [ "$(stat -c %a:%u "$1")" = "700:$user" ] ||
		fail "round $round: no socket in $*"
	finish
done
rm -rf {/tmp,/dev/shm,/var/tmp}/vmtap-"$user"*

# A dead socket that is left is removed by the next VM, a live one is not.
begin "${me[@]}"
live=$pid
serves "/tmp/vmtap-$user/$live"
begin "${me[@]}"
dead=$pid
serves "/tmp/vmtap-$user/$dead"
finish
[ -S "/tmp/vmtap-$user/$dead" ] || fail "no dead socket to remove"
begin "${me[@]}"
serves "/tmp/vmtap-$user/$pid"
[ -e "/tmp/vmtap-$user/$dead" ] && fail "a dead socket is left"
traced "$live" "${me[@]}"
finish

# Root with a user's environment leaves the user's runtime directory alone.
runtime=$directory/runtime
mkdir -m 700 "$runtime"
chown "$user" "$runtime"
begin env XDG_RUNTIME_DIR="$runtime"
serves "/tmp/vmtap-0/$pid"
traced "$pid" env XDG_RUNTIME_DIR="$runtime"
[ -e "$runtime/vmtap" ] && fail "root's directory is in the user's"
begin "${me[@]}" env XDG_RUNTIME_DIR="$runtime"
serves "$runtime/vmtap/$pid"
both

# A path with the pid in it, which a program that the VM starts inherits.
begin "${me[@]}" env VMTAP_SOCKET="/tmp/vmtap-$user/own-%p"
serves "/tmp/vmtap-$user/own-$pid"
both

# The other user's lock on a shared directory does not keep a dead socket at a chosen path alive.
begin "${me[@]}" env VMTAP_SOCKET="/tmp/target-$user/own"
chmod 711 "/tmp/target-$user"
serves "/tmp/target-$user/own"
finish
chmod 755 "/tmp/target-$user"
"${them[@]}" flock "/tmp/target-$user" sh -c 'echo locked; exec sleep 1000' >"$directory/lock" 2>&1 &
pids+=($!)
await "no lock" grep -q locked "$directory/lock"
begin "${me[@]}" env VMTAP_SOCKET="/tmp/target-$user/own"
await_stream "$pid"
traced "$pid" "${me[@]}"
run 0 trace -q --socket "/tmp/target-$user/own" -n 'BEGIN { printf("%d\n", $target); exit(0); }'
[ "$(cat "$directory/out")" = "$pid" ] || fail "process $(cat "$directory/out") has the path, not $pid"

# A user namespace whose root is an ordinary user outside: both that user and root may trace it.
if "${me[@]}" unshare --user --map-root-user true 2>/dev/null; then
	begin "${me[@]}" unshare --user --map-root-user
	await_stream "$pid"
	both
	"${them[@]}" "$open/vmtap" trace -p "$pid" -n "$script" >"$directory/out" 2>"$directory/err"
	[ $? = 3 ] || fail "another user may trace a process in a user namespace"
	has err "belongs to user $user: only that user and root"
	finish
else
	echo "left out: a user namespace: unshare is not permitted"
fi

if ! unshare --mount --pid --fork true 2>/dev/null; then
	echo "no mount namespaces: read-only places and containers were not tested"
	exit 77
fi

# /tmp is read-only.
begin unshare --mount sh -c 'mount --bind /tmp /tmp && mount -o remount,bind,ro /tmp && exec "$@"' sh \
	"${me[@]}"
serves "/dev/shm/vmtap-$user/$pid"
both
finish

# In the process's file system /tmp is an absolute link, which leads elsewhere outside.
mkdir -p "$directory/root/elsewhere" "$directory/root/programs"
chmod 1777 "$directory/root/elsewhere"
ln -s /elsewhere "$directory/root/tmp"
for place in usr bin lib lib64 etc proc; do
	[ ! -e "/$place" ] || mkdir "$directory/root/$place"
done
unshare --mount sh -c 'cd "$1" || exit 1
	for place in usr bin lib lib64 etc proc; do
		[ ! -e "$place" ] || mount --rbind "/$place" "$place" || exit 1
	done
	mount --bind "$2" programs &&
	exec chroot --userspec="$3" . /programs/toy /programs/loop.toy' sh \
	"$directory/root" "$open" "$user:$user" >"$directory/toy" 2>&1 &
pid=$!
pids+=("$pid")
await "no socket in the other root" test -S "$directory/root/elsewhere/vmtap-$user/$pid"
await_stream "$pid"
traced "$pid" env
finish

# Two VMs of one number in pid namespaces that share /tmp; each is found, from outside and inside.
inside=()
for round in 1 2; do
	unshare --pid --fork --mount-proc --kill-child "$open/toy" "$open/loop.toy" >"$directory/toy" 2>&1 &
	outer=$!
	pids+=("$outer")
	child() { pid=$(cat "/proc/$outer/task/$outer/children") && pid=${pid% } && [ -n "$pid" ]; }
	await "no process in the namespace" child
	[ "$(awk '/^NSpid/ { print $NF }' "/proc/$pid/status")" = 1 ] || fail "not process 1"
	await_stream "$pid"
	inside+=("$pid")
done
[ -S /tmp/vmtap-0/1 ] && [ -S /tmp/vmtap-0/1.1 ] || fail "not two sockets of process 1: $(ls /tmp/vmtap-0)"
for pid in "${inside[@]}"; do
	traced "$pid" env
	timeout "${COMMAND_SECONDS:-300}" nsenter --target "$pid" --mount --pid \
		"$open/vmtap" trace -q -p 1 -n 'BEGIN { printf("process %d\n", $target); }
		vm$target:::method-entry /n++ == 3/ { exit(0); }' >"$directory/out" 2>"$directory/err" ||
		fail "from inside: status $?"
	[ "$(cat "$directory/out")" = "process 1" ] || fail "from inside: $(cat "$directory/out")"
done
# The first one ends; the second is still found although the first name is free.
kill -9 "${inside[0]}"
traced "${inside[1]}" env
exit 0
