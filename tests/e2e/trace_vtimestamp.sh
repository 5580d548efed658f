#!/bin/bash
# vtimestamp over the event stream: the thread's CPU clock at each event, which never goes back
# and never runs faster than real time.
. tests/e2e/common
cat >"$directory/script.d" <<'D'
#pragma D option quiet
self uint64_t last;
/* The CPU clock is read after the previous event and before its own event's time; the margin is
   for clocks that run at slightly different rates. */
vm$target:::pause-begin { self->wall = timestamp; }
vm$target:::gc-start { self->start = vtimestamp; }
vm$target:::gc-end
/vtimestamp >= self->start && vtimestamp - self->start <= timestamp - self->wall + 50000/
{
	good++;
}
vm$target:::gc-end { all++; }
vm$target:::method-entry /vtimestamp < self->last/ { back++; }
vm$target:::method-entry { self->last = vtimestamp; }
END { printf("%s %d\n", all > 0 && good == all ? "ok" : "bad", back); }
D
run 0 trace --lossless -s "$directory/script.d" -c "$TOY examples/toy/programs/binary_trees.toy 10"
has out '^ok 0$'

# A recording with CPU clocks provides it too, in each of its files: a file never begins between
# a clock and its event.
run 0 record --lossless --cpu-clock --max-size 50k --rotate 500 -o "$directory/log" \
	-n 'vm$target:::method-entry,vm$target:::gc-*' -c "$TOY examples/toy/programs/binary_trees.toy 9"
[ -f "$directory/log.5" ] || fail "not six files of 50 kB"
cat >"$directory/recorded.d" <<'D'
#pragma D option quiet
self uint64_t last;
/* The clock may stand still for an event: the kernel leaves out what a hypervisor has taken. */
vm*:::method-entry /vtimestamp < self->last/ { back++; }
vm*:::method-entry /vtimestamp == self->last/ { same++; }
vm*:::method-entry { all++; self->last = vtimestamp; }
END { printf("%s %d\n", !all ? "none" : same * 100 < all ? "ok" : "still", back); }
D
for log in "$directory"/log.*; do
	run 0 trace --log "$log" -s "$directory/recorded.d"
	has out '^ok 0$'
done
# the last file may hold the end alone
run 0 trace --log "$directory/log" -s "$directory/recorded.d"
has out '^(ok|none) 0$'
# ... and a recording without them is an error that says what is missing
run 0 record --lossless -o "$directory/log" -c "$TOY examples/toy/programs/queens.toy"
run 1 trace --log "$directory/log" -s "$directory/recorded.d"
has err 'vtimestamp'
run 2 record --cpu-clock --ghc-only -o "$directory/log" -c "$TOY"
exit 0
