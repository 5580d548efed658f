#!/bin/bash
# Scripts such as users of Ruby and of Clozure CL write, unchanged, on the toy VM: their output
# equals the VM's own counters.
set -u
. tests/e2e/common
command -v python3 >/dev/null || { echo "python3 is missing"; exit 77; }

# ---- Clozure CL: a line for each full collection, with the pid as $1 ----

cat >"$directory/gc.d" <<'D'
#!/usr/sbin/dtrace -s

#pragma D option quiet

unsigned long bytes_used, start;
int i;

BEGIN
{
    i = 0;
    printf("%8s %14s %8s %8s\n", "serial", "elapsed ns", "K used", "K freed");
}

ccl$1:::gc-start
{
    bytes_used = arg0;
    start = walltimestamp;
}

ccl$1:::gc-finish
{
    printf("%8u %14u %8u %8u\n", i++, walltimestamp - start, bytes_used,  arg0);
}
D
cat >"$directory/gc.toy" <<'T'
def chain(length)
  last = nil
  for i in 1..length
    last = [i, last]
  end
  last
end
kept = nil
for round in 1..20
  kept = chain(3000 * round)
  VM.collect_young()
  VM.collect()
end
T
# It waits for its first listener, so nothing is missed.
VMTAP_WAIT=1 "$TOY" --caps=2 --event-log="$directory/log" "$directory/gc.toy" \
	>/dev/null 2>"$directory/err" &
pid=$!
pids+=("$pid")
await_stream "$pid"
# As its author runs it: the pid is its argument, and the provider named after it is the target.
run 0 trace --lossless -s "$directory/gc.d" $pid
wait "$pid"
pids=()
python3 - "$directory" <<'P' || fail "the collections' lines"
import sys
directory = sys.argv[1]
lines = open(directory + "/out").read().splitlines()
assert lines[0] == "  serial     elapsed ns   K used  K freed", lines[0]
events = [line.split() for line in open(directory + "/log")]
starts = [int(e[4]) for e in events if e[0] == "gc-start" and e[3] == "1"]
ends = [int(e[4]) for e in events if e[0] == "gc-end" and e[3] == "1"]
rows = [line.split() for line in lines[1:] if line]
assert len(rows) == len(starts) >= 20, (len(rows), len(starts))
# the script prints bytes under a heading "K"
for number, (row, used, freed) in enumerate(zip(rows, starts, ends)):
    serial, elapsed, k_used, k_freed = map(int, row)
    assert (serial, k_used, k_freed) == (number, used, freed), row
    assert 0 < elapsed < 60 * 10**9, row
for line, row in zip(lines[1:], rows):
    assert line == "%8s %14s %8s %8s" % tuple(row), line
P

# Only providers of a process are taken for one.
for other in $pid $$; do
	run 1 trace -s "$directory/gc.d" "$other"
	has err "probe description ccl$other:::gc-start does not match any probes"
done

# ---- Ruby: calls, time in required files, allocations, exceptions ----

cat >"$directory/ruby.d" <<'D'
#!/usr/sbin/dtrace -s
#pragma D option quiet

ruby$target:::method-entry
{
	@calls[copyinstr(arg0), copyinstr(arg1)] = count();
}

ruby$target:::cmethod-entry
{
	@native[copyinstr(arg0), copyinstr(arg1)] = count();
}

ruby$target:::object-create
{
	@objects[copyinstr(arg0)] = count();
}

ruby$target:::array-create, ruby$target:::hash-create, ruby$target:::string-create
{
	@sizes[probename] = count();
}

ruby$target:::raise
{
	@raised[copyinstr(arg0)] = count();
}

ruby$target:::require-entry
{
	self->since[copyinstr(arg0)] = timestamp;
}

ruby$target:::require-return
/self->since[copyinstr(arg0)]/
{
	@required[copyinstr(arg0)] = count();
	@slow[copyinstr(arg0)] = max(timestamp - self->since[copyinstr(arg0)]);
	self->since[copyinstr(arg0)] = 0;
}

ruby$target:::gc-mark-begin
{
	self->mark = timestamp;
}

ruby$target:::gc-mark-end
/self->mark/
{
	@marks = count();
	@marking = sum(timestamp - self->mark);
	self->mark = 0;
}

END
{
	printa("call %s %s %@d\n", @calls);
	printa("native %s %s %@d\n", @native);
	printa("object %s %@d\n", @objects);
	printa("size %s %@d\n", @sizes);
	printa("raise %s %@d\n", @raised);
	printa("require %s %@d\n", @required);
	printa("slow %s %@d\n", @slow);
	printa("marks %@d\n", @marks);
	printa("marking %@d\n", @marking);
}
D
cat >"$directory/ruby.toy" <<T
class Point
  attr x
  def init(x)
    @x = x
  end
  def double()
    @x * 2
  end
end
require("part")
for i in 1..100
  Point.new(i).double()
  [i, "text #{i}"].length
end
begin
  raise Error.new("no")
rescue Error => e
  print(e.message)
end
VM.collect()
T
mkdir "$directory/lib"
echo 'print("part")' >"$directory/lib/part.toy"
: >"$directory/by"
timeout "${COMMAND_SECONDS:-300}" "$TOY" -I "$directory/lib" "$directory/ruby.toy" >/dev/null || fail "the toy program"
run 0 trace --lossless -s "$directory/ruby.d" -c \
	"$TOY --caps=2 -I $directory/lib --stats=json --stats-by=$directory/by $directory/ruby.toy"
python3 - "$directory" <<'P' || fail "Ruby's script"
import collections, json, sys
directory = sys.argv[1]
counted = collections.defaultdict(dict)
for line in open(directory + "/by"):
    entry = json.loads(line)
    counted[entry["probe"]][tuple(entry["key"])] = entry["count"]
stats = json.loads([l for l in open(directory + "/err") if l.startswith("{")][-1])
printed = collections.defaultdict(dict)
for line in open(directory + "/out"):
    words = line.split()
    if len(words) > 1 and words[-1].lstrip("-").isdigit():
        printed[words[0]][tuple(words[1:-1])] = int(words[-1])
def same(what, have, want):
    assert have == want and want, (what, have, want)
same("calls", printed["call"], counted["method-entry"])
same("native", printed["native"], counted["native-entry"])
same("objects", printed["object"], counted["object-create"])
same("raised", printed["raise"], counted["raise"])
same("required", printed["require"], counted["require-return"])
same("sizes", printed["size"], {(kind,): stats[kind] for kind in
     ("array-create", "hash-create", "string-create") if stats[kind]})
same("marks", printed["marks"][()], stats["gc-mark-begin"])
assert printed["slow"].keys() == printed["require"].keys()
assert min(printed["slow"].values()) > 0 and printed["marking"][()] > 0
P

# A VM that has not opted in has none of these probes, and still has its own.
cat >"$directory/plain.c" <<'C'
#include <vmtap.h>
int main(void)
{
	vmtap_start(NULL);
	VMTAP_STARTUP(1);
	vmtap_stop();
	return 0;
}
C
if [ "${VMTAP_SANITIZED:-0}" != 1 ]; then
	"$CC" -Iinclude -I"$BUILD/include" -o "$directory/plain" "$directory/plain.c" \
		"$BUILD/libvmtap.a" -pthread || fail "cannot build a VM"
	run 1 trace -c "$directory/plain" -n 'ruby$target:::method-entry'
	has err 'ruby[0-9]*:::method-entry does not match any probes'
	run 0 trace -c "$directory/plain" -n 'vm$target:::startup { printf("%d caps", arg0); }'
	has out '1 caps'
	# The shared library also reports what a single object has opted in to.
	"$CC" -DVMTAP_PROVIDER_HASKELLEVENT -Iinclude -I"$BUILD/include" -o "$directory/shared" \
		"$directory/plain.c" "$BUILD/libvmtap_probes.a" -L"$BUILD" -lvmtap \
		-Wl,-rpath,"$PWD/$BUILD" || fail "cannot build a VM"
	run 0 trace -c "$directory/shared" -n 'HaskellEvent$target:::startup { printf("%d caps", arg0); }'
	has out '1 caps'
	run 1 trace -c "$directory/shared" -n 'ruby$target:::'
else
	echo "left out: VMs that opt in to no provider or one: a library built with sanitizers does not link without them"
fi
