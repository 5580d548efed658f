#!/bin/bash
# cwd and root, curthread and ipl through the kernel: the directories of the moment, also of
# processes with other roots and mounts, of removed directories, and of those that are just renamed.
# tests: src/kernel/capture/capture_directory.c
set -u
. tests/e2e/common

need_kernel
[ "$(id -u)" = 0 ] || { echo "only root can change a process's root" && exit 77; }
program=$directory/directories
$CC -O2 -o "$program" tests/tools/usdt_directories.c -pthread || fail "compiling"
traced() { # script; then the program's arguments
	run 0 trace -q -x strsize=8192 -c "$program ${*:2}" -n "$1"
	has_not err .
}
# What /proc shows is what is captured.
same='dirs*:::here /cwd == copyinstr(arg1)/ { same++; }
	dirs*:::here /cwd != copyinstr(arg1)/ { printf("%s, not %s\n", cwd, copyinstr(arg1)); }
	dirs*:::here { printf("%s\n", root); }'

long=$(printf 'n%.0s' {1..255})
mkdir -p "$directory/one/$long" "$directory/jail/inside" "$directory/mounted"
traced "$same END { printf(\"%d\\n\", same); }" / /proc/self /dev "$directory" "$directory/one/$long" \
	"-$directory/gone" "$directory" "@/usr" "+deep,60"
counts() { sed '/^$/d' "$directory/out" | sort | uniq -c | tr -s ' \n' ' '; }
[ "$(counts)" = " 10 / 1 10 " ] || fail "directories"

# Other roots: the paths are those from the top of the process's mounts.
traced 'dirs*:::here { printf("%s %s\n", root, cwd); }' "=$directory/jail" inside
[ "$(sed -n '2,$p' "$directory/out")" = "$directory/jail $directory/jail
$directory/jail $directory/jail/inside" ] || fail "another root"
if unshare --mount true 2>/dev/null; then
	cat >"$directory/mounts" <<-END
		mount -t tmpfs tmpfs $directory/mounted && mkdir $directory/mounted/below $directory/mounted/removed &&
		mount --bind $directory/mounted/below $directory/one && exec $program $directory/mounted/below $directory/one \
			-$directory/mounted/removed/now $directory/one
	END
	run 0 trace -q -Z -c "unshare --mount sh $directory/mounts" -n "$same END { printf(\"%d\\n\", same); }"
	[ "$(counts)" = " 5 / 1 5 " ] || fail "mounted directories"
else
	echo "left out: mounted directories: unshare is not permitted"
fi

# More names than are followed: a fault, not a part of the path.
run 0 trace -q -c "$program $directory +x,200" -n 'dirs*:::here /arg0 == 2/ { trace(cwd); } dirs*:::here /arg0 == 2/ { trace("end"); }'
has err 'invalid address'
has out '^end$'

# A directory that is renamed all the time has the one name or the other.
mkdir "$directory/first-name"
traced 'dirs*:::moving { @[cwd] = count(); } END { printa("%s %@d\n", @); }' "~$directory/first-name,$directory/2nd"
sum=0
while read -r path count; do
	case "$path" in
	"$directory/first-name/below" | "$directory/2nd/below") sum=$((sum + count)) ;;
	*) [ -z "$path" ] || fail "a path that never was" ;;
	esac
done <"$directory/out"
[ "$sum" = 1000 ] || fail "$sum events in a renamed directory"

# A sample's, and what the others are.
"$program" "$directory/jail" busy &
pids+=($!)
run 0 trace -q -p $! -n 'profile-97 /pid == $target/ { printf("%s %s %d", cwd, root, ipl); exit(0); }'
has out "^$directory/jail / 0$"
traced 'dirs*:::here /arg0 == 0/ { first = curthread; } dirs*:::here /curthread == first/ { same++; }
	END { printf("%d %d %d", same, (uintptr_t)first >> 63, ipl); }' / "@/usr" /
has out '^3 1 0$'
exit 0
