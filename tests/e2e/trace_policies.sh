#!/bin/bash
# Buffer policies over a live stream: ring keeps the newest records and prints them at the
# end, fill ends the trace when its buffer is full, and neither prints before.
# tests: src/engine/store/buffer.c
set -u
. tests/e2e/common

cat >"$directory/loop.toy" <<'TOY'
class Worker
  def work(n)
    n + 1
  end
end
worker = Worker.new
n = 0
while n < 20000
  n = worker.work(n)
end
TOY
program="$TOY $directory/loop.toy"

# each record contains its number; the records that are left are consecutive
successive() { # first line's number or nothing
	awk -v first="${1:-}" '
		NR == 1 && first != "" && $1 != first { exit 1 }
		NR > 1 && $1 != last + 1 { exit 1 }
		{ last = $1 }
		END { exit NR < 2 }' "$directory/numbers"
}

script='vm$target:::method-entry { printf("%d\n", n++); } END { printf("END %d\n", n); }'

run 0 trace -q -x bufpolicy=ring -x bufsize=16k -c "$program" -n "$script"
grep -E '^[0-9]+$' "$directory/out" >"$directory/numbers"
successive || fail "ring: records are missing between others"
total=$(sed -n 's/^END //p' "$directory/out")
[ "${total:-0}" -ge 20000 ] || fail "ring: END saw '$total' events"
[ "$(tail -n 1 "$directory/numbers")" = $((total - 1)) ] || fail "ring: the newest one is lost"
[ "$(wc -l <"$directory/numbers")" -lt "$total" ] || fail "ring: nothing gave way"

run 0 trace -q -x bufpolicy=fill -x bufsize=16k -c "$program" -n "$script"
grep -E '^[0-9]+$' "$directory/out" >"$directory/numbers"
successive 0 || fail "fill: not the oldest ones, or some are missing between others"
[ "$(wc -l <"$directory/numbers")" -lt 20000 ] || fail "fill: the buffer has no end"

# a full disk at the end is reported, as it is for records that are printed at once
timeout "${COMMAND_SECONDS:-300}" "$VMTAP" trace -q -x bufpolicy=ring -c "$program" -n "$script" \
	>/dev/full 2>"$directory/err" </dev/null
[ $? = 1 ] || fail "ring: a full output ends with another status"
has err 'failed to write to <stdout>: No space left'
