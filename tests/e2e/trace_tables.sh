#!/bin/bash
# Option table, which bundled scripts run with: columns as wide as their longest values, by the
# width that a terminal shows; control characters spelled out; on a terminal the table fits. The
# scripts' switch for another unit, and their memory with 200,000 threads.
# tests: src/engine/output/table.c
set -u
. tests/e2e/common

make_log_of_input() {
	sed "s/ESCAPE/\x1b/" >"$directory/events"
	make_log "$directory/events"
}

methods() {
	make_log_of_input <<'EVENTS'
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
}
methods
run 0 trace method_count --log "$directory/log"
diff - "$directory/out" <<'TABLE' || fail "a table"
CLASS                       METHOD                                           CALLS  SHARE
A                           x                                                    1    25%
ALongerClass::WithinAnother and_a_method_that_has_a_long_name_as_well            1    25%
漢字                        a\nb\033[1m                                          2    50%

TABLE

# ---- on a terminal ----
cat >"$directory/terminal.py" <<'PYTHON'
import fcntl, os, pty, struct, sys, termios
pid, terminal = pty.fork()
if pid == 0:
    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", 24, int(sys.argv[1]), 0, 0))
    os.execv(sys.argv[2], sys.argv[2:])
out = b""
try:
    while data := os.read(terminal, 4096):
        out += data
except OSError:
    pass
os.waitpid(pid, 0)
sys.stdout.buffer.write(out.replace(b"\r\n", b"\n"))
PYTHON
shows() { # columns, script; the table is the standard input
	python3 "$directory/terminal.py" "$1" "$VMTAP" trace "$2" --log "$directory/log" >"$directory/shown" ||
		fail "a terminal"
	diff - "$directory/shown" || fail "$2 on a terminal of $1 columns"
}
# columns of numbers lose blanks before a text is cut
shows 60 method_count <<'TABLE'
CLASS                   METHOD                   CALLS SHARE
A                       x                            1   25%
ALongerClass::Within... and_a_method_that_has...     1   25%
漢字                    a\nb\033[1m                  2   50%

TABLE
shows 81 method_count <<'TABLE'
CLASS                       METHOD                                    CALLS SHARE
A                           x                                             1   25%
ALongerClass::WithinAnother and_a_method_that_has_a_long_name_as_well     1   25%
漢字                        a\nb\033[1m                                   2   50%

TABLE
# what cannot become narrower sticks out
shows 20 method_count <<'TABLE'
CLASS  METHOD CALLS SHARE
A      x          1   25%
ALo... and...     1   25%
漢字   a\n...     2   50%

TABLE
# a path is cut at its beginning, by characters of two columns too
make_log_of_input <<'EVENTS'
block 0
1000 object-create "A" 10 "/usr/lib/runtime/collections/vector.toy" 17 1 4096
2000 object-create "APersistentCollection" 30 "main.toy" 3 1 8192
3000 string-create 9 "/home/漢字漢字漢字/字.toy" 1009 60 "String" 1 4096
end
EVENTS
shows 100 alloc_by_site <<'TABLE'
FILE                                      LINE CLASS                       BYTES      OBJECTS  SHARE
/usr/lib/runtime/collections/vector.toy     17 A                              10            1    10%
main.toy                                     3 APersistentCollection          30            1    30%
/home/漢字漢字漢字/字.toy                 1009 (string)                       60            1    60%

TABLE
shows 61 alloc_by_site <<'TABLE'
FILE              LINE CLASS              BYTES OBJECTS SHARE
...ons/vector.toy   17 A                     10       1   10%
main.toy             3 APersistentColl...    30       1   30%
...字漢字/字.toy  1009 (string)              60       1   60%

TABLE
shows 50 alloc_by_site <<'TABLE'
FILE         LINE CLASS        BYTES OBJECTS SHARE
...ector.toy   17 A               10       1   10%
main.toy        3 APersiste...    30       1   30%
...字/字.toy 1009 (string)        60       1   60%

TABLE
shows 40 alloc_by_site <<'TABLE'
FILE    LINE CLASS   BYTES OBJECTS SHARE
....toy   17 A          10       1   10%
main...    3 APer...    30       1   30%
....toy 1009 (str...    60       1   60%

TABLE

methods
# ---- without the option, a script prints what it prints with any DTrace ----
run 0 trace method_count -x table=no --log "$directory/log"
has out '^A                                x  {30,} +1    25%$'
run 0 trace -s "$BUILD/scripts/method_count.d" --log "$directory/log"
has out '^A                                x  {30,} +1    25%$'

# ---- units ----
run 0 trace method_time --log "$directory/log"
has out '^CLASS .* EXCLUSIVE ns  +INCLUSIVE ns  +CALLS  SHARE$'
has out '^A  +x  +1000  +1000  +1    11%$'
run 0 trace method_time --log "$directory/log" us
has out '^CLASS .* EXCLUSIVE us  +INCLUSIVE us  +CALLS  SHARE$'
has out '^A  +x  +1  +1  +1    11%$'

# ---- recursion: each moment of a method counts once in its inclusive time ----
make_log_of_input <<'EVENTS'
block 0
1000 method-entry "A" "walk" "a.toy" 1 1
1100 method-entry "A" "walk" "a.toy" 1 1
1150 method-entry "A" "visit" "a.toy" 1 1
1160 method-entry "A" "walk" "a.toy" 1 1
1170 method-entry "A" "walk" "a.toy" 1 2
1190 method-return "A" "walk" "a.toy" 1 2
1200 method-return "A" "walk" "a.toy" 1 1
1250 method-return "A" "visit" "a.toy" 1 1
1300 method-return "A" "walk" "a.toy" 1 1
2000 method-return "A" "walk" "a.toy" 1 1
3000 method-entry "A" "walk" "a.toy" 1 1
3100 method-return "A" "walk" "a.toy" 1 1
4000 method-entry "A" "walk" "a.toy" 1 1
4100 method-entry "A" "walk" "a.toy" 1 1
4300 method-return "A" "walk" "a.toy" 1 1
end
EVENTS
run 0 trace method_time --log "$directory/log"
# 1000 in all, 20 on the other thread, 100 by itself, 300 of one that has not ended
has out '^A  +walk  +1260  +1420  +6    95%$'
has out '^A  +visit  +60  +100  +1     4%$'

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
}' </dev/null | make_log_of_input
for script in sched_latency lock_wait method_time; do
	run 0 trace "$script" --log "$directory/log"
	is_silent || fail "$script: $(head -1 "$directory/err")"
	[ "$(wc -l <"$directory/out")" -lt 60 ] || fail "$script: a line for each thread"
done
has out '^Worker run +40000000 +40000000 +200000   100%$'
run 0 trace sched_latency --log "$directory/log"
has out '^ +0 +200000 +499 +249$'
exit 0
