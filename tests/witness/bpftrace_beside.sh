#!/bin/bash
# bpftrace and vmtap trace the same site of the same process at the same time, whoever comes first;
# both count each event.
set -u
. tests/witness/bpftrace
need_bpftrace
storm=$TMPDIR/storm
cp "$BUILD/tests/tools/usdt_storm" "$storm" || exit 1
failed=0

beside() { # which of them is first
	local name target ours theirs
	rm -f "$TMPDIR/in" "$TMPDIR/ours" "$TMPDIR/theirs"
	mkfifo "$TMPDIR/in"
	"$storm" 2 20000 wait <"$TMPDIR/in" >"$TMPDIR/ready" &
	target=$!
	children+=("$target")
	exec 3>"$TMPDIR/in"
	wait_line ready "$TMPDIR/ready" "$target" || return 1
	for name in $1; do
		case $name in
		vmtap)
			"$VMTAP" trace -q -p "$target" -o "$TMPDIR/ours" 2>"$TMPDIR/ours.err" -n '
				BEGIN { told = 0; } tick-1ms /!told/ { told = 1; printf("attached\n"); }
				storm$target:::hit { @ = count(); } END { printa("%@d\n", @); }' 3>&- &
			ours=$!
			children+=("$ours")
			wait_line attached "$TMPDIR/ours" "$ours" || { cat "$TMPDIR/ours.err" && return 1; }
			;;
		bpftrace)
			bpftrace -B line -p "$target" -e "BEGIN { printf(\"attached\\n\"); }
				usdt:$storm:storm:hit { @ = count(); }" >"$TMPDIR/theirs" 2>"$TMPDIR/theirs.err" 3>&- &
			theirs=$!
			children+=("$theirs")
			wait_line attached "$TMPDIR/theirs" "$theirs" || { cat "$TMPDIR/theirs.err" && return 1; }
			;;
		esac
	done
	echo go >&3
	exec 3>&-
	wait "$target" || return 1
	wait "$ours" || { cat "$TMPDIR/ours.err" && return 1; }
	end_tracers "$theirs"
	children=()
	grep -qx 40000 "$TMPDIR/ours" || { echo "vmtap: $(cat "$TMPDIR/ours")" && return 1; }
	grep -qx '@: 40000' "$TMPDIR/theirs" || { echo "bpftrace: $(cat "$TMPDIR/theirs")" && return 1; }
}
for order in "vmtap bpftrace" "bpftrace vmtap"; do
	if beside "$order"; then
		echo "$order: agree"
	else
		echo "$order: FAILED"
		failed=1
	fi
done
exit $failed
