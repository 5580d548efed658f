#!/bin/bash
# Debian's ghc-events reads the toy VM's samples of its heap, by class and by site, and the log
# that the VM writes itself; its checks of threads and sparks find no error in the log.
set -u
. tests/witness/ghc_events
need_ghc_events
. tests/e2e/common
log=$directory/log

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
  n = n + 1
end
while n < 3000000
  n = n + 1
end
TOY
show() { # by class or by site
	run 0 record --heap-profile=2ms "${@:2}" -o "$log" -c "$TOY --census=$1 $directory/live.toy"
	ghc-events show "$log" >"$directory/out" 2>"$directory/err" || fail "ghc-events show"
	is_silent || fail "ghc-events complains"
	[ "$(grep -c 'start heap prof sample' "$directory/out")" -ge 2 ] || fail "no samples"
	[ "$(grep -c 'start heap prof sample' "$directory/out")" = "$(grep -c ': end prof sample' "$directory/out")" ] ||
		fail "a sample does not end"
}
show class
has out 'heap prof sample 0, residency 40000, label Point$'
show site --ghc-only
has out "heap prof sample 0, residency 40000, label $directory/live.toy:10\$"

# all events from the first one on, as many as the VM itself counts
VMTAP_LOG=$log "$TOY" --caps=2 --stats examples/toy/programs/parmap.toy >"$directory/out" 2>"$directory/stats" ||
	fail "the toy VM"
for machine in threads sparks; do
	ghc-events validate "$machine" "$log" >"$directory/out" 2>"$directory/err" || fail "validate $machine"
	has out '^Valid event log'
done
run 0 log --validate "$log"
run 0 log "$log"
for probe in method-entry thread-create object-create; do
	counted=$(awk -v probe="$probe" '$1 == probe { print $2 }' "$directory/stats")
	logged=$(awk -v probe="$probe" '$3 == probe || $3 ~ ":" probe "$" { n += $2 } END { print n + 0 }' "$directory/out")
	[ "$counted" = "$logged" ] || fail "$probe: $logged in the log, $counted counted"
done
