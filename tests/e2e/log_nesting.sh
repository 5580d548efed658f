#!/bin/bash
# vmtap log --validate checks that what begins also ends: methods per guest thread, pauses,
# collections and phases per capability. Each finding says where: the file, the time, the thread or
# the capability, and what. What began before the log, or before a loss, is no error.
# tests: src/cli/log/log_nesting.c
set -u
. tests/e2e/common

findings() { # of a log made from standard input: into out, without the file's name
	cat >"$directory/events"
	"$BUILD/tests/tools/make_log" probes/vm.d "$directory/events" "$directory/made" || fail "make_log"
	"$VMTAP" log --validate "$directory/made" >"$directory/all" 2>"$directory/err"
	is_silent || fail "a message"
	grep -v "^$directory/made: " "$directory/all" && fail "a line without the file"
	sed "s|^$directory/made: ||" "$directory/all" >"$directory/out"
}
expect() { # the findings, a line each
	diff - "$directory/out" || fail "other findings"
}

# ---- methods ----
findings <<'EVENTS'
block 0
1000 startup 1
1100 thread-create 1 0
1200 thread-create 2 0
1900 native-entry "A" "first" "a.toy" 1 1
1910 native-return "A" "first" "a.toy" 1 1
2000 method-entry "A" "run" "a.toy" 1 1
2100 method-entry "B" "outer" "a.toy" 2 2
2200 native-entry "B" "inner" "a.toy" 3 2
2300 method-return "A" "run" "a.toy" 1 1
2400 method-return "B" "outer" "a.toy" 2 2
3000 method-entry "A" "run" "a.toy" 1 1
3100 method-return "A" "stop" "a.toy" 1 1
3200 method-return "A" "run" "a.toy" 1 1
3300 native-return "A" "run" "a.toy" 1 1
4000 method-entry "A" "last" "a.toy" 1 1
4100 thread-exit 1
5000 require-entry "x" "a.toy" 1
5100 require-return "x" "a.toy" 1 0
5200 require-return "x" "a.toy" 1 0
end
EVENTS
expect <<'FINDINGS'
time 2400: thread 2: method B#outer ends, and native method B#inner, which began in it at time 2200, has not ended
time 3100: thread 1: method A#stop ends instead of method A#run, which began at time 3000
time 3300: thread 1: native method A#run ends, and has not begun
time 4100: thread 1: the thread has exited, and method A#last, which began at time 4000, has not ended
time 5200: a require ends, and none has begun
FINDINGS

# ---- pauses and collections ----
findings <<'EVENTS'
block 0
1000 startup 2
2000 pause-begin "gc"
2100 gc-start 1 1 500 "request" 1
2200 gc-mark-begin
2300 gc-sweep-begin
2400 gc-mark-end
2500 gc-end 1 1 100 "request" 1
2600 pause-end "gc"
3000 gc-start 0 0 500 "request" 1
3100 gc-start 0 0 500 "request" 1
3200 gc-end 0 0 100 "request" 1
3300 gc-end 0 0 100 "request" 1
4000 pause-begin "gc"
4100 gc-start 0 0 500 "request" 1
4200 pause-end "gc"
block 1
2050 pause-begin "gc"
2150 pause-end "gc"
2700 gc-sweep-end
end
EVENTS
expect <<'FINDINGS'
time 2400: capability 0: mark phase ends, and sweep phase, which began in it at time 2300, has not ended
time 2700: capability 1: sweep phase ends, and has not begun
time 3100: capability 0: a collection begins within one that began at time 3000
time 3300: capability 0: collection ends, and has not begun
time 4200: capability 0: pause ends, and collection, which began in it at time 4100, has not ended
FINDINGS

# ---- phases, safepoints, waits ----
findings <<'EVENTS'
block 0
1000 startup 1
1050 thread-create 1 0
1100 pause-begin "gc"
1110 safepoint-begin "gc" 5
1120 pause-end "gc"
1200 gc-start 0 0 500 "request" 1
1210 gc-phase-begin "mark" 0
1220 gc-phase-begin "roots" 0
1230 gc-phase-begin "sweep" 1
1240 gc-phase-end "mark" 0
1250 gc-phase-end "roots" 0
1260 gc-phase-end "sweep" 1
1270 gc-end 0 0 100 "request" 1
1280 gc-phase-end "sweep" 1
1290 safepoint-end "gc" 5
2000 native-entry "Queue" "pop" "a.toy" 1 1
2010 thread-park 1 "queue"
2020 native-return "Queue" "pop" "a.toy" 1 1
2030 thread-unpark 1 "queue"
3000 finalize-begin "A" 4096
3010 finalize-end "A" 4096
3020 finalize-end "A" 4096
3030 compile-begin "A" "run" "a.toy" 1 0 1
3040 compile-end "A" "run" "a.toy" 1 0 1 16
3050 compile-end "A" "run" "a.toy" 1 0 1 16
end
EVENTS
expect <<'FINDINGS'
time 1240: capability 0: phase mark ends, and phase roots, which began in it at time 1220, has not ended
time 1250: capability 0: phase roots ends, and has not begun
time 1280: capability 0: phase sweep ends, and has not begun
time 1120: capability 0: pause ends, and safepoint, which began in it at time 1110, has not ended
time 1290: capability 0: safepoint ends, and has not begun
time 2020: thread 1: native method Queue#pop ends, and wait, which began in it at time 2010, has not ended
time 2030: thread 1: wait ends, and has not begun
time 3020: a finalizer ends, and none has begun
time 3050: a compilation ends, and none has begun
FINDINGS
# a collection that begins in a pause ends in it, unless guest code runs between its phases
findings <<'EVENTS'
block 0
1000 startup 1
1100 pause-begin "gc"
1110 gc-start 0 0 500 "request" 1
1120 gc-phase-begin "mark" 0
1130 gc-phase-end "mark" 0
1140 pause-end "gc"
1150 gc-end 0 0 100 "request" 1
2100 gc-start 0 0 500 "request" 2
2110 pause-begin "gc"
2120 gc-end 0 0 100 "request" 2
2130 pause-end "gc"
3100 pause-begin "gc"
3110 gc-start 0 0 500 "request" 3
3120 pause-end "gc"
3130 gc-start 0 0 500 "request" 4
3140 gc-end 0 0 500 "request" 4
end
EVENTS
expect <<'FINDINGS'
time 1140: capability 0: pause ends, and collection, which began in it at time 1110, has not ended
time 2120: capability 0: collection ends, and pause, which began in it at time 2110, has not ended
time 3120: capability 0: pause ends, and collection, which began in it at time 3110, has not ended
time 3130: capability 0: a collection begins within one that began at time 3110
FINDINGS
# an incremental collector, with a concurrent phase across its pauses
findings <<'EVENTS'
block 0
1000 startup 1
1100 pause-begin "gc"
1110 gc-start 0 0 500 "request" 1
1120 gc-phase-begin "mark" 1
1130 pause-end "gc"
2100 pause-begin "gc"
2110 gc-phase-begin "references" 0
2120 gc-phase-end "references" 0
2130 gc-phase-end "mark" 1
2140 gc-end 0 0 100 "request" 1
2150 pause-end "gc"
3100 gc-phase-begin "free" 1
3110 gc-phase-end "free" 1
end
EVENTS
expect <<<valid

# ---- what is no error ----
# ends that nobody recorded
findings <<'EVENTS'
block 0
1000 startup 1
2000 gc-start 0 0 500 "request" 1
2100 method-entry "A" "run" "a.toy" 1 1
2200 native-entry "A" "inner" "a.toy" 1 1
2300 method-return "A" "run" "a.toy" 1 1
3000 gc-start 0 0 500 "request" 1
3100 native-entry "A" "inner" "a.toy" 1 1
3200 thread-exit 1
end
EVENTS
expect <<<valid
# a log that begins in the middle, and one that lost events
findings <<'EVENTS'
block 0
1000 method-return "A" "run" "a.toy" 1 1
1100 method-entry "A" "other" "a.toy" 1 1
1200 method-return "A" "other" "a.toy" 1 1
1300 method-return "A" "start" "a.toy" 1 1
1400 gc-mark-end
1500 gc-end 1 1 100 "request" 1
1600 pause-end "gc"
1700 pause-begin "gc"
1800 pause-end "gc"
end
EVENTS
expect <<<valid
findings <<'EVENTS'
block 0
1000 startup 1
1100 thread-create 1 0
1200 method-entry "A" "run" "a.toy" 1 1
1300 pause-begin "gc"
loss method-return 1 1250 1600
1500 method-return "A" "else" "a.toy" 1 1
2000 method-return "A" "other" "a.toy" 1 1
2100 pause-end "gc"
end
EVENTS
expect <<<valid
# returns without entries, because only they were recorded
run 0 record -n 'vm$target:::method-return,vm$target:::thread-create,vm$target:::startup' \
	-o "$directory/log" -c "$TOY examples/toy/programs/redefine.toy"
run 0 log --validate "$directory/log"

# everything that the interpreter does, with two capabilities and threads that exit
run 0 record --lossless -o "$directory/log" -c "$TOY --caps=2 examples/toy/programs/pipeline.toy"
run 0 log --validate "$directory/log"
exit 0
