#!/bin/bash
# A client of thirty lines, written from the manual: it reads the header, subscribes, decodes
# events, and asks for samples of the toy VM's heap with either kind of frame. Checks the numbers:
# live bytes by class and by line.
set -u
. tests/e2e/common
command -v python3 >/dev/null || { echo "no python3" && exit 77; }
export XDG_RUNTIME_DIR=$directory

cat >"$directory/live.toy" <<'TOY'
class Point
  def init(x, y)
    @x = x
    @y = y
  end
end
live = []
n = 0
while n < 1000
  live.push(Point.new(n, n))
  Point.new(n, n)
  n = n + 1
end
# more than standard output's buffer holds
while n < 9000
  n = n + 1
  print("ready")
end
while true
  n = n + 1
end
TOY
# The client that the manual prints.
sed -n '/^\.Ss A client$/,/^\.Ed$/{/^\./d;s/\\e/\\/g;p}' src/man/vmtap-eventlog.5 >"$directory/manual.py"
ask() { # by class or by site, for the toy VM's samples
	: >"$directory/toy"
	"$TOY" --caps=2 --census="$1" "$directory/live.toy" >"$directory/toy" 2>&1 &
	pid=$!
	pids+=("$pid")
	await "no 'ready' from the toy VM" grep -q ready "$directory/toy"
	timeout "${COMMAND_SECONDS:-300}" python3 tests/e2e/stream_client.py "$directory/vmtap/$pid" \
		>"$directory/out" 2>"$directory/err" || fail "the client ended with status $?"
	timeout "${COMMAND_SECONDS:-300}" python3 "$directory/manual.py" "$directory/vmtap/$pid" >"$directory/bands" \
		2>>"$directory/err" || fail "the manual's client ended with status $?"
	kill -9 "$pid"
	is_silent || fail "the client complains"
	grep -vE '^(gc-start|band|by|sample) [0-9]+' "$directory/out" && fail "an odd line"
	# both samples, each after a full collection of the heap; the kind of labels, once
	[ "$(grep -cE '^sample [12]$' "$directory/out")" = 2 ] || fail "not two samples"
	[ "$(grep -cE '^gc-start [01] 1 1 [0-9]+$' "$directory/out")" -ge 2 ] || fail "no collections"
	[ "$(grep -c '^by ' "$directory/out")" = 1 ] || fail "not one beginning"
}

# 1000 objects of 40 bytes are alive, as many are garbage
ask class
has out '^by 7$'
[ "$(grep -c '^band 40000 Point$' "$directory/out")" = 2 ] || fail "not 1000 points of 40 bytes"
has out '^band [0-9]+ Array$'
grep -q '^40000 Point$' "$directory/bands" || fail "the manual's client sees no points"

ask site
has out '^by 2$'
[ "$(grep -c "^band 40000 $directory/live.toy:10\$" "$directory/out")" = 2 ] ||
	fail "not 1000 points made at line 10"
has_not out 'live.toy:11$'
has out '^band [0-9]+ .*live.toy:7$'
