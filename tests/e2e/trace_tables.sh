#!/bin/bash
# Option table, which bundled scripts run with: columns as wide as their longest values, by the
# width that a terminal shows; control characters spelled out; on a terminal the table fits. The
# scripts' switch for another unit, and their memory with 200,000 threads.
set -u
. tests/e2e/common

make_log() { # of standard input
	sed "s/ESCAPE/\x1b/" >"$directory/events"
	"$BUILD/tests/tools/make_log" probes/vm.d "$directory/events" "$directory/log" || fail "make_log"
}

make_log <<'EVENTS'
block 0
1000 method-entry "A" "x" "a.toy" 1 1
2000 method-return "A" "x" "a.toy" 1 1
3000 method-entry "漢字" "a\nbESCAPE[1m" "a.toy" 1 1
5000 method-return "漢字" "a\nbESCAPE[1m" "a.toy" 1 1
5100 method-entry "漢字" "a\nbESCAPE[1m" "a.toy" 1 1
8100 method-return "漢字" "a\nbESCAPE[1m" "a.toy" 1 1
9000 method-entry "ALongerClass::WithinAnother" "and_a_method_that_has_a_long_name_as_well" "a.toy" 1 1
12000 method-return "ALongerClass::WithinAnother" "and_a_method_that_has_a_long_name_as_well" "a.toy" 1 1
end
EVENTS
run 0 trace method_count --log "$directory/log"
diff - "$directory/out" <<'TABLE' || fail "a table"
CLASS                       METHOD                                           CALLS  SHARE
A                           x                                                    1    25%
ALongerClass::WithinAnother and_a_method_that_has_a_long_name_as_well            1    25%
漢字                        a\nb\033[1m                                          2    50%

TABLE

# ---- on a terminal of 60 columns ----
python3 - "$VMTAP" "$directory/log" >"$directory/shown" <<'PYTHON' || fail "a terminal"
import fcntl, os, pty, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
    os.execv(sys.argv[1], [sys.argv[1], "trace", "method_count", "--log", sys.argv[2]])
out = b""
try:
    while data := os.read(terminal, 4096):
        out += data
except OSError:
    pass
os.waitpid(pid, 0)
sys.stdout.buffer.write(out.replace(b"\r\n", b"\n"))
PYTHON
diff - "$directory/shown" <<'TABLE' || fail "a table on a terminal"
CLASS               METHOD                      CALLS  SHARE
A                   x                               1    25%
ALongerClass::Wi... and_a_method_that...            1    25%
漢字                a\nb\033[1m                     2    50%

TABLE

# ---- without the option, a script prints what it prints with any DTrace ----
run 0 trace method_count -x table=no --log "$directory/log"
has out '^A                                x  {30,} +1    25%$'
run 0 trace -s probes/scripts/method_count.d --log "$directory/log"
has out '^A                                x  {30,} +1    25%$'

# ---- units ----
run 0 trace method_time --log "$directory/log"
has out '^CLASS .* EXCLUSIVE ns  +INCLUSIVE ns  +CALLS  SHARE$'
has out '^A  +x  +1000  +1000  +1    11%$'
run 0 trace method_time --log "$directory/log" us
has out '^CLASS .* EXCLUSIVE us  +INCLUSIVE us  +CALLS  SHARE$'
has out '^A  +x  +1  +1  +1    11%$'

# ---- 200,000 threads, each of which runs once, waits for a lock, calls a method and exits ----
awk 'BEGIN {
	print "block 0"
	for (thread = 1; thread <= 200000; thread++) {
		time += 1000
		print time, "thread-create", thread, 0
		print time + 1, "thread-runnable", thread
		print time + 1 + thread % 500, "thread-run", thread
		print time + 600, "method-entry", "\"Worker\"", "\"run\"", "\"a.toy\"", 1, thread
		print time + 601, "lock-wait", thread, thread % 7, "\"a lock\""
		# some are cancelled while they wait, or before they run
		if (thread % 3)
			print time + 700, "lock-acquired", thread, thread % 7, "\"a lock\""
		print time + 800, "method-return", "\"Worker\"", "\"run\"", "\"a.toy\"", 1, thread
		if (thread % 5 == 0)
			print time + 850, "thread-runnable", thread
		print time + 900, "thread-exit", thread
	}
	print "end"
}' </dev/null | make_log
for script in sched_latency lock_wait method_time; do
	run 0 trace "$script" --log "$directory/log"
	[ -s "$directory/err" ] && fail "$script: $(head -1 "$directory/err")"
	[ "$(wc -l <"$directory/out")" -lt 60 ] || fail "$script: a line for each thread"
done
has out '^Worker run +40000000 +40000000 +200000   100%$'
run 0 trace sched_latency --log "$directory/log"
has out '^ +0 +200000 +499 +249$'
exit 0
