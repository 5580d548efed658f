#!/bin/bash
# Compressed logs: `vmtap record --compress` writes them, and whatever reads logs reads them, as files
# and from pipes; what is cut off, damaged, or not written because the recorder was killed.
# tests: src/source/log_output.c src/source/recording.c
set -u
. tests/e2e/common

log=$directory/log
command=$(realpath "$VMTAP")
compress() { # of the log, bytes in each frame
	"$BUILD/tests/tools/compress_log" "$log" "$log.zst" "$1"
}
: >"$log"
compress 1000
[ $? != 77 ] || { echo "libzstd-dev was missing when vmtap was built" && exit 77; }
size() { stat -c %s "$1" 2>/dev/null || echo 0; }

# every verb says the same of a log and of its compressed form; GHC's forms are read at several places
# of the file at once
echo '*:::thread-run,*:::run-thread { @[arg1] = count(); }' >"$directory/script.d"
for options in "" --ghc-only; do
	# shellcheck disable=SC2086
	run 0 record --lossless $options -o "$log" -c "$TOY --caps=2 examples/toy/programs/parmap.toy 6"
	compress 5000
	[ $((2 * $(size "$log.zst"))) -lt "$(size "$log")" ] || fail "compression by less than 2"
	for arguments in "log" "log --json" "log --validate" "log --dump" "flame --folded --by=calls -o -" \
		"export --chrome -o -" "trace -qZ -s script.d --log"; do
		# shellcheck disable=SC2086
		(cd "$directory" && cp "$log" same && "$command" $arguments same >plain 2>&1
			echo $? >>plain
			cp "$log.zst" same && "$command" $arguments same >out 2>&1
			echo $? >>out)
		cmp -s "$directory/plain" "$directory/out" || fail "vmtap $arguments: not the same"
		grep -q '^0$' "$directory/plain" || [ "$options" ] || fail "vmtap $arguments fails"
	done
done
cp tests/toy/loop.toy "$directory/loop.toy"
"$TOY" "$directory/loop.toy" >/dev/null 2>&1 &
pid=$!
pids+=("$pid")
await_stream "$pid"
"$VMTAP" record -p "$pid" --heap-profile=1ms -n 'vm*:::startup' -o "$log" 2>/dev/null &
recorder=$!
pids+=("$recorder")
await "no sample of the heap" "$VMTAP" heap "$log"
kill -INT "$recorder"
wait "$recorder" || fail "the recording fails"
compress 100000
run 0 heap "$log"
cp "$directory/out" "$directory/plain"
run 0 heap "$log.zst"
cmp -s "$directory/plain" "$directory/out" || fail "vmtap heap: not the same"

# a recording, which is readable while it is written, and by a pipe
calls='vm*:::method-entry { @n = count(); } END { printa("%@d\n", @n); }'
run 0 trace -q --lossless -c "$TOY examples/toy/programs/queens.toy" -n "$calls"
traced=$(grep -E '^[0-9]+$' "$directory/out")
rm "$log"
run 0 record --compress --lossless -o "$log" -c "$TOY examples/toy/programs/queens.toy"
# LeakSanitizer notes there if it cannot look at a thread that is just ending.
[ -z "$(grep -v 'Unable to get registers' "$directory/err")" ] || fail "a recording says something"
[ "$(stat -c %a "$log")" = 600 ] || fail "others can read the log"
run 0 trace -q --log "$log" -n "$calls"
has out "^$traced$"
run 0 log --validate "$log"
"$VMTAP" trace -q --log - -n "$calls" < <(cat "$log") >"$directory/out" 2>"$directory/err" || fail "a pipe"
has out "^$traced$"

# its end is missing, wherever it was cut off: one line, and the more there is, the more events are read
run 0 record --lossless -o "$log" -n 'vm*:::method-*' -c "$TOY examples/toy/programs/queens.toy"
compress 20000
whole=$(size "$log.zst") before=-1
for eighth in 2 3 4 5 6 7; do
	head -c $((whole * eighth / 8)) "$log.zst" >"$directory/cut"
	run 0 trace -q --log "$directory/cut" -n "$calls"
	[ "$(grep -c . "$directory/err")" = 1 ] || fail "not one line"
	has err "^vmtap: $directory/cut: byte [0-9]+: the compressed data is cut off at byte $(size "$directory/cut") of the file: it is truncated$"
	there=$(grep -E '^[0-9]+$' "$directory/out")
	[ "$there" -gt "$before" ] || fail "$eighth eighths have $there calls, fewer have $before"
	before=$there
	run 1 log --validate "$directory/cut"
	has out 'the compressed data is cut off'
	run 0 log "$directory/cut"
	has out '^  end  *byte [0-9]+: the compressed data is cut off'
done
# joined logs, and one with something else after it: only the first is read, and a line says so
for tail in "$log.zst" README.md; do
	cat "$log.zst" "$tail" >"$directory/joined"
	run 0 trace -q --log "$directory/joined" -n "$calls"
	[ "$(grep -c . "$directory/err")" = 1 ] || fail "not one line"
	has err "^vmtap: $directory/joined: byte $(size "$log"): bytes follow the log's end marker"
	run 1 log --validate "$directory/joined"
	has out "byte $(size "$log"): bytes follow the log's end marker"
	"$VMTAP" trace -q --log - -n "$calls" < <(cat "$directory/joined") >/dev/null 2>"$directory/err" ||
		fail "a pipe with a joined log"
	has err "byte $(size "$log"): bytes follow the log's end marker"
done
# a byte is wrong: nothing of its frame is given
cp "$log.zst" "$directory/wrong"
printf '\377\377\377' | dd of="$directory/wrong" bs=1 seek=$((whole * 3 / 4)) conv=notrunc 2>/dev/null
run 3 trace -q --log "$directory/wrong" -n "$calls"
has err "^vmtap: $directory/wrong: byte [0-9]+0000: the compressed data is damaged before byte [0-9]+ of the file"
there=$(grep -E '^[0-9]+$' "$directory/out")
[ "$there" -gt 0 ] && [ "$there" -lt "$before" ] || fail "$there calls before the damage, of $before"
run 3 heap "$directory/wrong"
has err 'the compressed data is damaged'
head -c 3000 "$log.zst" | tail -c +200 >"$directory/wrong"
run 3 trace --log "$directory/wrong" -n "$calls"

# the recorder is killed: what was written can be read, up to the end of a block
rm "$log"
"$VMTAP" record --compress=3 -p "$pid" -o "$log" 2>"$directory/err" &
recorder=$!
pids+=("$recorder")
is_larger() { [ "$(size "$log")" -gt "$1" ]; }
await "no recorded events" is_larger 30000
run 0 trace -q --log "$log" -n "$calls"
kill -9 "$recorder"
wait "$recorder" 2>/dev/null
run 1 log --validate "$log"
grep -vE ': (the block ends at byte [0-9]+, the log before$|.*: it is truncated$)' "$directory/out" && fail "more is wrong than the end"
has out 'it is truncated$'
run 0 trace -q --log "$log" -n "$calls"
[ "$(grep -E '^[0-9]+$' "$directory/out")" -gt 1000 ] || fail "few calls in the log"

# the largest size is that of the file, and each file can be read by itself
rm "$log"
"$VMTAP" record --compress --max-size 60k --rotate 2 -p "$pid" -o "$log" 2>"$directory/err" &
recorder=$!
pids+=("$recorder")
await "no third file" grep -q 'has reached\|.' "$log.1"
rotated() { [ "$(stat -c %i "$log.1")" != "$inode" ]; }
inode=$(stat -c %i "$log.1")
await "no rotation" rotated
kill -INT "$recorder"
wait "$recorder" || fail "the recording fails"
[ ! -e "$log.2" ] || fail "too many files"
for file in "$log" "$log.1"; do
	[ "$(size "$file")" -le 61440 ] || fail "$file has $(size "$file") bytes"
	run 0 log --validate "$file"
done
[ "$(size "$log.1")" -gt 40000 ] || fail "a full file has $(size "$log.1") bytes"
run 0 record --compress --max-size 60k -p "$pid" -o "$log"
has err "^vmtap: '$log' has reached its largest size: the recording is ended$"
run 0 log --validate "$log"
kill -9 "$pid"

# a disk that is full
run 3 record --compress -o /dev/full -c "$TOY $directory/loop.toy"
has err '^vmtap: /dev/full: No space left on device'
(ulimit -f 100 && run 3 record --compress -n 'vm*:::method-entry' -o "$log" -c "$TOY $directory/loop.toy") || exit 1
has err "^vmtap: $log: File too large: the file ends after the last whole event, at byte $(size "$log")$"
run 0 trace -q --log "$log" -n "$calls"

for wrong in 0 20 x -1 1x ""; do
	run 2 record "--compress=$wrong" -p 1 -o x
	has err "^vmtap record: --compress takes a level from 1 to 19, not '$wrong'"
done
exit 0
