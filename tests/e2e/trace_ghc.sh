#!/bin/bash
# A log of GHC's run-time system, made here: each of GHC's events is a probe of HaskellEvent with
# the fields of its payload; provider vm has what they tell; the bundled scripts for GHC, and those
# for any VM that such a log can feed.
# tests: src/source/eventlog/eventlog_ghc.c src/source/eventlog/eventlog_version.c
set -u
. tests/e2e/common
log=$directory/log

python3 - "$log" <<'PYTHON' || fail "the log"
import struct, sys
V = 0xffff
sizes = {0: 4, 1: 4, 2: 10, 3: 4, 4: 6, 8: 6, 9: 0, 10: 0, 11: 0, 12: 0, 15: 4, 18: 14, 19: V, 20: 0, 21: 0, 22: 0,
         25: 6, 29: V, 30: V, 32: 8, 34: 56, 38: 0, 39: 2, 44: V, 45: 2, 49: 12, 50: 12, 51: 12, 52: 38, 53: 58,
         54: 0, 55: 18, 58: V, 160: V, 161: V, 164: V, 206: 2}
out = struct.pack(">II", 0x68647262, 0x68657462)
for number, size in sizes.items():
    out += struct.pack(">IHHIII", 0x65746200, number, size, 0, 0, 0x65746500)
out += struct.pack(">III", 0x68657465, 0x68647265, 0x64617462)

def event(number, time, payload=b""):
    length = struct.pack(">H", len(payload)) if sizes[number] == V else b""
    return struct.pack(">HQ", number, time) + length + payload

def block(cap, *events):
    body = b"".join(events)
    return event(18, 0, struct.pack(">IQH", 24 + len(body), 10**9, cap)) + body

def u32(*numbers):
    return struct.pack(">%dI" % len(numbers), *numbers)

def stats(generation, copied, threads):
    return struct.pack(">IHQQQIQQQ", 0, generation, copied, 1, 2, threads, 3, 4, 5)

out += block(0xffff, event(25, 1, struct.pack(">IH", 0, 2)), event(45, 2, b"\0\0"), event(45, 3, b"\0\1"),
             event(32, 4, u32(0, 77)), event(30, 5, u32(0) + b"/bin/spin\0+RTS\0"), event(29, 6, u32(0) + b"GHC-9.0 rts"),
             event(52, 7, struct.pack(">IHQQQQ", 0, 2, 0, 1 << 20, 1 << 20, 4096)))
out += block(0, event(0, 1000, u32(1)), event(1, 1500, u32(1)), event(44, 1600, u32(1) + "fädchen".encode()),
             event(2, 2500, struct.pack(">IHI", 1, 3, 0)), event(1, 3000, u32(1)),
             event(2, 4000, struct.pack(">IHI", 1, 7, 0)), event(12, 4100), event(9, 5000), event(54, 5100),
             event(53, 7900, stats(1, 640, 2)), event(10, 7000), event(51, 8000, struct.pack(">IQ", 0, 4242)),
             event(50, 8010, struct.pack(">IQ", 0, 1 << 20)), event(49, 8020, struct.pack(">IQ", 0, 999)),
             event(8, 9000, struct.pack(">IH", 1, 1)),
             event(34, 9100, struct.pack(">7Q", 10, 1, 2, 3, 4, 5, 6)), event(39, 9200, b"\0\1"),
             event(38, 9300), event(19, 9400, b"hello"), event(58, 9500, b"here"), event(206, 9600, b"\0\0"),
             event(55, 9700, struct.pack(">QHQ", 5, 0, 78)),
             event(160, 9800, struct.pack(">BQI", 0, 0, 7) + b"m\0c\0t\0\0\0\0b\0"),
             event(161, 9810, u32(3) + b"label\0module\0a.hs:1\0\1"),
             event(164, 9820, struct.pack(">BQ", 0, 512) + b"[]\0"))
out += block(1, event(9, 5200), event(10, 6000), event(1, 10000, u32(1)), event(2, 12000, struct.pack(">IHI", 1, 5, 0)))
open(sys.argv[1], "wb").write(out + b"\xff\xff")
PYTHON

# ---- HaskellEvent: probes by GHC's names ----
# shellcheck disable=SC2016
run 0 trace -q --log "$log" -n '
HaskellEvent$target:::capset-create { printf("%d %d %d\n", (int16_t)args[0], args[1], args[2]); }
HaskellEvent$target:::cap-create { printf("cap %d\n", args[0]); }
HaskellEvent$target:::heap-info-ghc { printf("generations %d block %d\n", args[2], args[6]); }
HaskellEvent$target:::stop-thread { printf("%d stops %d %d %d\n", args[0], args[1], args[2], args[3]); }
HaskellEvent$target:::thread-label { printf("%d %d %s\n", args[0], args[1], copyinstr(arg2)); }
HaskellEvent$target:::gc-stats-ghc { printf("gc %d %d %d %d %d\n", args[0], args[2], args[3], args[6], args[9]); }
HaskellEvent$target:::gc-global-sync { printf("sync %d\n", args[0]); }
HaskellEvent$target:::heap-live { printf("live %d %d\n", args[1], args[2]); }
HaskellEvent$target:::spark-counters { printf("sparks %d %d\n", args[1], args[7]); }
HaskellEvent$target:::user-marker { printf("%d %s\n", args[0], copyinstr(arg1)); }
HaskellEvent$target:::conc-upd-rem-set-flush { printf("flush %d\n", args[0]); }
HaskellEvent$target:::task-create { printf("task %d %d %d\n", args[0], args[1], args[2]); }
HaskellEvent$target:::heap-prof-begin { printf("%d %s %s %s+%s\n", args[3], copyinstr(arg4), copyinstr(arg6), copyinstr(arg7), copyinstr((uintptr_t)args[10])); }
HaskellEvent$target:::heap-prof-cost-centre { printf("%d %s %s %s\n", args[1], copyinstr(arg2), copyinstr(arg3), copyinstr(arg4)); }
HaskellEvent$target:::heap-prof-sample-string { printf("%d %s\n", args[2], copyinstr(arg3)); }'
diff - "$directory/out" <<'OUT' || fail "GHC's probes"
-1 0 2
cap 0
cap 1
generations 2 block 4096
0 1 fädchen
0 stops 1 3 0
0 stops 1 7 0
sync 0
gc 0 1 640 2 5
live 0 4242
sparks 10 6
0 here
flush 0
task 5 0 78
7 m t +b
3 label module a.hs:1
512 []
1 stops 1 5 0

OUT
run 0 trace -l -v -n 'HaskellEvent*:::heap-live' --log "$log"
has out '^		args\[2\] bytes: uint64_t$'

# ---- provider vm: what GHC's events tell ----
# shellcheck disable=SC2016
run 0 trace -q --log "$log" -n '
vm$target:::thread-create, vm$target:::thread-runnable, vm$target:::thread-run, vm$target:::thread-exit,
vm$target:::thread-wakeup, vm$target:::thread-stop { printf("%d %s %d %d\n", timestamp, probename, arg0, arg1); }
vm$target:::pause-begin, vm$target:::pause-end { printf("%d %s %d %s\n", timestamp, probename, arg0, copyinstr(arg1)); }
vm$target:::gc-start, vm$target:::gc-end { printf("%d %s %d %d %d\n", timestamp, probename, arg0, arg1, arg2); }
vm$target:::gc-request { printf("%d %s %d\n", timestamp, probename, arg1); }'
diff - "$directory/out" <<'OUT' || fail "vm's probes"
1000 thread-create 0 1
1000 thread-runnable 0 1
1500 thread-run 0 1
2500 thread-stop 0 1
2500 thread-runnable 0 1
3000 thread-run 0 1
4000 thread-stop 0 1
4100 gc-request 1
5000 pause-begin 0 gc
5000 gc-start 0 1 1
7000 gc-end 0 1 1
7000 pause-end 0 gc
9000 thread-wakeup 0 1
9000 thread-runnable 1 1
10000 thread-run 1 1
12000 thread-stop 1 1
12000 thread-exit 1 1

OUT
# a probe alone, whose rule needs events that nobody else asks for
# shellcheck disable=SC2016
run 0 trace -q --log "$log" -n 'vm$target:::pause-end { trace(timestamp); }'
[ "$(head -1 "$directory/out")" = 7000 ] || fail "pause-end alone"
# what GHC does not tell is no argument
run 1 trace -q --log "$log" -n 'vm*:::gc-end { trace(args[3]); }'
run 1 trace -q --log "$log" -n 'vm*:::method-entry'
run 0 log --validate "$log"

# ---- the scripts ----
run 0 trace gc_pause --log "$log"
has out '^gc +1 +1 +2000 +2000 +[0-9]+%$'
run 0 trace sched_latency --log "$log"
has out '^ +0 +2 +500 +500$'
has out '^ +1 +1 +1000 +1000$'
run 0 trace ghc_threads --log "$log" us
has out '^fädchen +4 +2 +3 +100%$'
has out '^blocked on an MVar +1$'
run 0 trace ghc_gc --log "$log"
has out '^ +1 +1 +640 +640 +2 +2$'
has out '^live +4242 +4242$'
run 0 trace ghc_sparks --log "$log"
has out '^ +0 +10 +1 +2 +3 +4 +5$'
has out '^ +0 +1 +1$'

# ---- through a pipe, which cannot be read twice ----
"$VMTAP" trace ghc_gc --log - <"$log" >"$directory/out" 2>&1
has out '^ +1 +1 +640 +640 +2 +2$'
# shellcheck disable=SC2002
cat "$log" | "$VMTAP" trace -q --log - -n 'HaskellEvent77:::cap-create { trace(execname); }' >"$directory/out"
[ "$(head -1 "$directory/out")" = spinspin ] || fail "the process of a log through a pipe"
exit 0
