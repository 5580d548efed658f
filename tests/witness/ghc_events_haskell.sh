#!/bin/bash
# The log of a Haskell program, written by GHC's run-time system: D scripts see the events of
# provider HaskellEvent as ghc-events shows them, in time order, even in a log of many blocks.
# `vmtap log` agrees, and a log that is cut off anywhere is read up to that point.
set -u
. tests/witness/ghc_events
need_ghc_events
need_ghc
. tests/e2e/common

cp tests/witness/haskell/spin.hs "$directory/"
ghc -v0 -O0 -threaded -eventlog -rtsopts -outputdir "$directory" -o "$directory/spin" \
	"$directory/spin.hs" || fail "ghc"

# How many events ghc-events shows, found by the words it uses for an event.
shown() { # words
	grep -cE -- "$1" "$directory/shown"
}

check_log() { # of the program
	local log=$1 name words
	ghc-events show "$log" | sed "1,/^Events:/d" >"$directory/shown"
	# shellcheck disable=SC2016
	run 0 trace -q --log "$log" -n '
		BEGIN { last = timestamp; late = 0; }
		HaskellEvent$target::: /timestamp < last/ { late++; }
		HaskellEvent$target::: { last = timestamp; @[probename] = count(); }
		END { printf("late %d\n", late); printa("%s %@d\n", @); }'
	is_silent || fail "trace"
	cp "$directory/out" "$directory/counts"
	grep -qx 'late 0' "$directory/counts" || fail "events are not in the order of time"
	while read -r name words; do
		[ "$(sed -n "s/^$name //p" "$directory/counts" | grep . || echo 0)" = "$(shown "$words")" ] ||
			fail "$name: $(grep "^$name " "$directory/counts"), shown $(shown "$words")"
	done <<'NAMES'
create-thread creating thread
run-thread running thread
stop-thread stopping thread
migrate-thread migrating thread
thread_wakeup waking up thread
gc-start starting GC
gc-end finished GC
gc-idle GC idle
gc-work GC working
gc-done GC done
request-seq-gc requesting sequential GC
request-par-gc requesting parallel GC
create-spark-thread creating spark thread
run-spark running a local spark
steal-spark stealing a spark
user-msg worker [0-9]+$
thread-label has label
gc-stats-ghc GC stats for heap capset
gc-global-sync all caps stopped for GC
heap-allocated allocated on heap capset
heap-size size of heap capset
heap-live live data in heap capset
spark-counters spark stats:
spark-create spark created
spark-fizzle spark fizzled
spark-gc spark GC
task-create task 0x[0-9a-f]+ created
NAMES
	# arguments: each thread's runs by capability, and the messages
	# shellcheck disable=SC2016
	run 0 trace -q --log "$log" -n '
		HaskellEvent$target:::run-thread { @[arg0, arg1] = count(); }
		HaskellEvent$target:::user-msg { printf("message %s\n", copyinstr(arg1)); }
		END { printa("cap %d thread %d %@d\n", @); }'
	grep -E '^(cap|message)' "$directory/out" | sort >"$directory/counts"
	sed -nE -e 's/.* cap ([0-9]+): running thread ([0-9]+).*/cap \1 thread \2/p' "$directory/shown" |
		sort | uniq -c | awk '{ print $2, $3, $4, $5, $1 }' >"$directory/wanted"
	sed -nE 's/.*: (worker [0-9]+)$/message \1/p' "$directory/shown" >>"$directory/wanted"
	sort -o "$directory/wanted" "$directory/wanted"
	diff "$directory/counts" "$directory/wanted" || fail "arguments"
	# a spark's thread is the one that runs on its capability
	# shellcheck disable=SC2016
	run 0 trace -q --log "$log" -n '
		HaskellEvent$target:::run-thread { runs[arg0] = arg1; }
		HaskellEvent$target:::run-spark { @[runs[arg0] == arg1 ? "same" : "other"] = count(); }'
	has_not out other
	# provider vm: threads exit as they finish, and every collection is a pause
	# shellcheck disable=SC2016
	run 0 trace -q --log "$log" -n '
		vm$target:::thread-exit, vm$target:::thread-create { @[probename] = count(); }
		vm$target:::pause-begin, vm$target:::pause-end { @[probename] = count(); }
		HaskellEvent$target:::gc-stats-ghc { @[probename] = count(); }
		END { printa("%s %@d\n", @); }'
	has out "^thread-create $(shown 'creating thread')$"
	has out "^thread-exit $(shown 'thread finished')$"
	for name in pause-begin pause-end gc-stats-ghc; do
		has out "^$name $(shown 'GC stats for heap capset')$"
	done
	for script in gc_pause sched_latency ghc_threads ghc_gc ghc_sparks; do
		run 0 trace "$script" --log "$log"
		is_silent || fail "$script"
	done
	run 0 log --validate "$log"
	run 0 log "$log"
	has out "^ +0 +$(shown 'creating thread')  CREATE_THREAD$"
	has out '^  end           in order$'
}

log=$directory/spin.eventlog
(cd "$directory" && ./spin +RTS -N2 -laf >/dev/null) || fail "the program"
check_log "$log"
has out '^  capabilities  2$'

# cut off: everything before that point, and a message that says where
size=$(stat -c %s "$log")
head -c $((size - 1000)) "$log" >"$directory/cut"
run 0 trace -q --log "$directory/cut" -n 'HaskellEvent*:::create-thread { @n = count(); } END { printa("%@d\n", @n); }'
has out '^[1-9][0-9]*$'
has err "^vmtap: $directory/cut: byte [0-9]+: the log ends "
[ "$(wc -l <"$directory/err")" = 1 ] || fail "more than one line"

# a log with many blocks of each capability
sed -i 's/20 + i/23 + i/' "$directory/spin.hs"
ghc -v0 -O0 -threaded -eventlog -rtsopts -outputdir "$directory" -o "$directory/spin" \
	"$directory/spin.hs" || fail "ghc"
(cd "$directory" && ./spin +RTS -N2 -laf -A16k >/dev/null) || fail "the program"
check_log "$log"
has out '^  blocks        ([5-9]|[0-9]{2,})$'
exit 0
