#!/bin/bash
# bpftrace, attached to the probes of the compatible providers of the toy VM, sees through the
# kernel what the VM has logged for their events: each probe's count, the strings and the sums
# of its arguments; every probe occurs. Then come programs such as users of Ruby write, unchanged.
# A tracer on one provider raises the semaphore of the event and no other.
# limit: 900
set -u
. tests/witness/bpftrace
need_bpftrace
table=tests/e2e/compat.py
rm -f "$TMPDIR/seen"

# Runs the binary until its first and last probes have been seen.
wait_ready() { # binary, file, tracer
	local tries
	echo 'print("ready")' >"$TMPDIR/ready.toy"
	for ((tries = 0; tries < 600; tries++)); do
		kill -0 "$3" 2>/dev/null || return 1
		"$1" "$TMPDIR/ready.toy" >/dev/null 2>&1
		grep -q first "$2" && grep -q last "$2" && return 0
		sleep 0.05
	done
	return 1
}

cp "$TOY" "$TMPDIR/toy"
cp "$TOY" "$TMPDIR/ready"
python3 $table bpftrace "$TMPDIR/toy" "$TMPDIR/ready" >"$TMPDIR/all.bt"
: >"$TMPDIR/seen"
bpftrace -B none -f json -o "$TMPDIR/seen" "$TMPDIR/all.bt" >"$TMPDIR/tracer" 2>&1 &
tracer=$!
children+=("$tracer")
if ! wait_ready "$TMPDIR/ready" "$TMPDIR/seen" "$tracer"; then
	echo "bpftrace does not attach to $TOY:"
	tail -n 5 "$TMPDIR/tracer"
	exit 1
fi
: >"$TMPDIR/log"
trace_program() { # PROGRAM OPTIONS
	# shellcheck disable=SC2086
	timeout "${COMMAND_SECONDS:-300}" "$TMPDIR/toy" $2 --event-log="$TMPDIR/one" "$1" >/dev/null 2>&1 </dev/null
	cat "$TMPDIR/one" >>"$TMPDIR/log"
}
for event in $(python3 $table probes | cut -d ' ' -f 2 | sort -u); do
	program=tests/toy/probes/$event.toy
	trace_program "$program" "$(sed -n 's/^# options: //p' "$program")"
done
trace_program tests/toy/probes/gc-request.toy --caps=2
trace_program examples/toy/programs/wordcount.toy --caps=2
end_tracers "$tracer"
children=()
python3 $table log "$TMPDIR/log" >"$TMPDIR/expected"
python3 $table seen "$TMPDIR/seen" "$TMPDIR/expected" || exit 1
echo "$(wc -l <"$TMPDIR/expected") events of $(python3 $table probes | wc -l) probes agree"

# ---- programs of Ruby's users ----

cat >"$TMPDIR/ruby.toy" <<'T'
class Point
  attr x
  def init(x)
    @x = x
  end
  def double()
    @x * 2
  end
end
for i in 1..500
  Point.new(i).double()
end
VM.collect()
T
program() { # a pattern that its output matches, the program
	local wanted=$1
	bpftrace -B none -e "$2" -c "$TMPDIR/toy $TMPDIR/ruby.toy" >"$TMPDIR/out" 2>"$TMPDIR/errors"
	if ! grep -qE "$wanted" "$TMPDIR/out"; then
		echo "no '$wanted' from: $2"
		cat "$TMPDIR/out" "$TMPDIR/errors"
		exit 1
	fi
}
program '^@calls\[Point, double\]: 500$' \
	"usdt:$TMPDIR/toy:ruby:method__entry { @calls[str(arg0), str(arg1)] = count(); }"
program '^@\[Point\]: 500$' \
	"usdt:$TMPDIR/toy:ruby:object__create { @[str(arg0)] = count(); }"
program "^Point.init .*/ruby.toy:11$" \
	"usdt:$TMPDIR/toy:ruby:method__entry { printf(\"%s.%s %s:%d\\n\", str(arg0), str(arg1), str(arg2), arg3); }"
program '^marked 1$' \
	"usdt:$TMPDIR/toy:ruby:gc__mark__begin { @begun[tid] = nsecs; }
	 usdt:$TMPDIR/toy:ruby:gc__mark__end /@begun[tid]/ { printf(\"marked %d\\n\", nsecs > @begun[tid]); delete(@begun[tid]); }"
program '^parsed .*/ruby.toy$' \
	"usdt:$TMPDIR/toy:ruby:parse__begin { printf(\"parsed %s\\n\", str(arg0)); }"
program '^freed 1 [1-9][0-9]*$' \
	"usdt:$TMPDIR/toy:ccl:gc__finish { printf(\"freed 1 %d\\n\", arg0); }"
program '^run 0 1$' \
	"usdt:$TMPDIR/toy:HaskellEvent:run__thread { printf(\"run %d %d\\n\", arg0, arg1); }"

# ---- one semaphore ----

# The VM waits for a listener that never comes.
VMTAP_WAIT=1 "$TMPDIR/toy" "$TMPDIR/ruby.toy" >/dev/null 2>&1 &
pid=$!
children+=("$pid")
bpftrace -p "$pid" -e "usdt:$TMPDIR/toy:ruby:cmethod__entry { @ = count(); }" >/dev/null 2>"$TMPDIR/errors" &
tracer=$!
children+=("$tracer")
raised() { # "PROVIDER NAME" of the probes whose semaphore is raised
	"$VMTAP" list -v "$pid" | awk '/^ *[0-9]+ / { probe = $2 " " $NF }
		/semaphore .*value [1-9]/ { print probe }' | sed "s/$pid//" | sort
}
for ((tries = 0; tries < 600; tries++)); do
	[ -n "$(raised)" ] && break
	kill -0 "$tracer" || break
	sleep 0.05
done
if [ "$(raised)" != "ruby cmethod-entry
vm native-entry" ]; then
	echo "a tracer of ruby:cmethod-entry has raised: $(raised)"
	cat "$TMPDIR/errors"
	exit 1
fi
end_tracers "$tracer"
