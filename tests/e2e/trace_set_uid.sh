#!/bin/bash
# Set-uid programs ignore what their user's environment says about logs, sockets and waiting;
# without the set-uid bit they do not.
# tests: src/shim/server/socket_directory.c src/shim/stream/log_file.c
set -u
. tests/e2e/common
[ "$(id -u)" = 0 ] || { echo "only root can make another user's set-uid program" && exit 77; }
[ "${VMTAP_SANITIZED:-0}" = 0 ] ||
	{ echo "LeakSanitizer has to trace its process, which set-uid programs let nobody" && exit 77; }
command -v setpriv >/dev/null || { echo "no setpriv" && exit 77; }

chmod 711 "$directory"
[ "${TMPDIR:-/tmp}" = /tmp ] || chmod 711 "$TMPDIR"
mkdir "$directory/open"
cp "$TOY" "$directory/open/toy"
cp "$(command -v id)" "$directory/open/id"
echo 'n = 1' >"$directory/open/short.toy"
chmod -R a+rX "$directory/open"
chmod 777 "$directory/open"
chown 65533 "$directory/open/toy" "$directory/open/id"
chmod 4755 "$directory/open/toy" "$directory/open/id"
as_other() { setpriv --reuid=65531 --regid=65534 --clear-groups "$@"; }
[ "$(as_other env "$directory/open/id" -u 2>"$directory/err")" = 65533 ] ||
	{ echo "set-uid bits have no effect here" && exit 77; }
as_other env VMTAP_LOG="$directory/open/log" "$directory/open/toy" "$directory/open/short.toy" \
	>"$directory/out" 2>"$directory/err" || fail "a set-uid program: status $?"
[ -e "$directory/open/log" ] && fail "a set-uid program wrote a log"
# there is a file at the socket path that the user chose; the program would complain about it
touch "$directory/open/socket"
user="VMTAP_SOCKET=$directory/open/socket XDG_RUNTIME_DIR=$directory/open"
as_other timeout "${COMMAND_SECONDS:-300}" env VMTAP_WAIT=1 $user "$directory/open/toy" "$directory/open/short.toy" \
	>"$directory/out" 2>"$directory/err" || fail "a set-uid program waited"
has_not err .
[ -e "$directory/open/vmtap" ] && fail "a set-uid program's socket is where its user said"
# the same program without the bit
chmod 755 "$directory/open/toy"
as_other env $user "$directory/open/toy" "$directory/open/short.toy" >"$directory/out" 2>"$directory/err"
has err 'no event stream: File exists'
as_other env VMTAP_LOG="$directory/open/log" "$directory/open/toy" "$directory/open/short.toy" ||
	fail "status $?"
[ -s "$directory/open/log" ] || fail "no log without the bit"
run 0 log --validate "$directory/open/log"
rmdir /tmp/vmtap-65533 /tmp/vmtap-65531 2>/dev/null
exit 0
