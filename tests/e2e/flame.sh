#!/bin/bash
# vmtap flame: stacks and what they have spent, by each measure, against a log whose figures are
# known; losses and ends without begins; comparison; hostile names; the same of a running VM.
# tests: src/cli/flame
set -u
. tests/e2e/common

folded() { # options; the lines are the standard input
	run 0 flame --folded -o - "$@" "$directory/log"
	diff - "$directory/out" || fail "flame $*"
}

make_log /dev/stdin <<'EVENTS'
block 0
1000 thread-run 1
1000 method-entry "A" "a" "f" 1 1
1100 method-entry "B" "b" "f" 2 1
1400 native-entry "C" "c" "f" 3 1
1450 object-create "String;x" 64 "f" 3 1 4096
1460 array-create 3 "f" 3 100 "Array" 1 8192
1500 native-return "C" "c" "f" 3 1
1600 method-return "B" "b" "f" 2 1
1650 method-return "never" "entered" "f" 2 7
1700 method-entry "B" "b" "f" 2 1
1710 thread-stop 1 7 0
2710 thread-run 1
2720 method-return "B" "b" "f" 2 1
2730 thread-park 1 "sleep"
2740 thread-stop 1 3 0
2790 thread-run 1
2800 thread-unpark 1 "sleep"
block 1
1000 method-entry "A" "a" "f" 1 2
1100 lock-wait 2 5 "big"
1300 lock-acquired 2 5 "big"
1350 object-create "Z" 7 "f" 1 0 1
2000 method-return "A" "a" "f" 1 2
2100 method-entry "open" "end" "f" 1 2
2900 thread-exit 9
end
EVENTS
folded <<'LINES'
A#a 1330
A#a;B#b 420
A#a;B#b;C#c 100
open#end 800
LINES
folded --by calls <<'LINES'
A#a 2
A#a;B#b 2
A#a;B#b;C#c 1
open#end 1
LINES
folded --by bytes <<'LINES'
A#a;B#b;C#c;(array) 100
A#a;B#b;C#c;String:x 64
Z 7
LINES
folded --by blocked <<'LINES'
A#a;B#b;[blocked on a lock or queue] 1000
A#a;[lock big] 200
A#a;[wait sleep] 60
LINES

# the sum is the same in the SVG, which a parser of other people's accepts
cat >"$directory/svg.py" <<'PYTHON'
import sys, xml.dom.minidom
document = xml.dom.minidom.parse(sys.argv[1])
for frame in document.getElementsByTagName("g"):
    print(frame.getElementsByTagName("title")[0].firstChild.data)
assert len(document.getElementsByTagName("script")) == 1, "a script of the program"
text = open(sys.argv[1], encoding="utf-8").read()
assert text.count("http") == 2 and "xlink" not in text, "it refers to something"
PYTHON
run 0 flame "$directory/log" -o "$directory/graph"
python3 "$directory/svg.py" "$directory/graph" >"$directory/out" || fail "the SVG"
diff - "$directory/out" <<'FRAMES' || fail "the frames"
all (2,650 ns, 100.00%)
A#a (1,850 ns, 69.81%; itself 1,330)
B#b (520 ns, 19.62%; itself 420)
C#c (100 ns, 3.77%)
open#end (800 ns, 30.19%)
FRAMES

# The head says what the graph is of. A frame too narrow for a name keeps the method's own.
head_of() { grep -oE '<text[^>]*class="line"[^>]*>[^<]+' "$1" | sed 's/.*>//'; }
make_long() { # the share of the other method
	make_log /dev/stdin <<EVENTS
process 4711 1 worker
clock 0 1700000000000000000
block 0
1000000000 method-entry "com.example.service.Handler" "handle" "f" 1 1
1600000000 method-return "com.example.service.Handler" "handle" "f" 1 1
1600000000 method-entry "com.example.service.Other" "compute_everything_at_once" "f" 1 1
$((1600000000 + $1 * 2000000)) method-return "com.example.service.Other" "compute_everything_at_once" "f" 1 1
2500000000 thread-exit 1
end
EVENTS
}
cp "$directory/log" "$directory/first"
make_long 20
cp "$directory/log" "$directory/small"
TZ=UTC run 0 flame "$directory/small" -o "$directory/graph"
head_of "$directory/graph" >"$directory/out"
diff - "$directory/out" <<HEAD || fail "the head of a graph"
time by calls, without waits: worker (4711)
640.000 ms in 2 calls
recorded 2023-11-14 22:13:20 +0000, $directory/small
HEAD
grep -qE '>…ompute_everything_at_once</text>|>compute_[a-z_]*…</text>' "$directory/graph" || fail "a short name without its method"
grep -q '>com.example.service.Handler.handle</text>' "$directory/graph" || fail "a name that has room"
make_long 400
TZ=UTC run 0 flame --diff "$directory/small" "$directory/log" -o "$directory/graph"
head_of "$directory/graph" >"$directory/out"
diff - "$directory/out" <<HEAD || fail "the head of a comparison"
time by calls, without waits: worker (4711) compared with worker (4711)
after: 1.400 s in 2 calls
recorded 2023-11-14 22:13:20 +0000, $directory/log
before: 640.000 ms in 2 calls
recorded 2023-11-14 22:13:20 +0000, $directory/small
HEAD
grep -q '>larger share than before</text>' "$directory/graph" || fail "no legend"
for measure in calls bytes blocked; do
	run 0 flame --by "$measure" "$directory/first" -o "$directory/graph"
	head_of "$directory/graph" | sed 2q
done >"$directory/heads"
diff - "$directory/heads" <<HEAD || fail "the head by other measures"
calls: toy (1234)
6 calls
bytes allocated: toy (1234)
171 bytes in 6 calls
time blocked: toy (1234)
1.260 µs in 6 calls
HEAD
cp "$directory/first" "$directory/log"

# a profile for pprof: the same stacks
cat >"$directory/pprof.py" <<'PYTHON'
import gzip, sys
def fields(data):
    at = 0
    def varint():
        nonlocal at
        value = shift = 0
        while True:
            byte = data[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value
    while at < len(data):
        tag = varint()
        value = varint()
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        else:
            assert tag & 7 == 0
        yield tag >> 3, value
def packed(data):
    numbers, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 127) << shift
        shift += 7
        if byte < 128:
            numbers.append(value)
            value = shift = 0
    return numbers
profile = list(fields(gzip.open(sys.argv[1]).read()))
strings = [value.decode("utf-8", "strict") for field, value in profile if field == 6]
functions = {f[1]: strings[f[2]] for f in (dict(fields(v)) for n, v in profile if n == 5)}
locations = {l[1]: functions[dict(fields(l[4]))[1]] for l in (dict(fields(v)) for n, v in profile if n == 4)}
[kind] = [dict(fields(value)) for field, value in profile if field == 1]
print(strings[kind[1]], strings[kind[2]])
for field, value in profile:
    if field == 2:
        sample = dict(fields(value))
        [amount] = packed(sample[2])
        print(";".join(locations[i] for i in reversed(packed(sample[1]))), amount)
PYTHON
run 0 flame --pprof "$directory/log" -o "$directory/profile"
python3 "$directory/pprof.py" "$directory/profile" >"$directory/out" || fail "the profile"
diff - "$directory/out" <<'LINES' || fail "the profile's samples"
time nanoseconds
A#a 1330
A#a;B#b 420
A#a;B#b;C#c 100
open#end 800
LINES
run 0 flame --pprof --by calls "$directory/log" -o "$directory/profile"
python3 "$directory/pprof.py" "$directory/profile" >"$directory/out" || fail "the profile of calls"
has out '^calls count$'
run 2 flame --pprof --diff "$directory/log" "$directory/log" -o -

# a comparison
cp "$directory/log" "$directory/before"
make_log /dev/stdin <<'EVENTS'
block 0
1000 method-entry "A" "a" "f" 1 1
1500 method-entry "New" "n" "f" 1 1
2000 method-return "New" "n" "f" 1 1
2000 method-return "A" "a" "f" 1 1
end
EVENTS
run 0 flame --folded -o - --diff "$directory/before" "$directory/log"
diff - "$directory/out" <<'LINES' || fail "a comparison"
A#a 500 1330
A#a;B#b 0 420
A#a;B#b;C#c 0 100
A#a;New#n 500 0
open#end 0 800
LINES
run 0 flame -o "$directory/graph" --diff "$directory/before" "$directory/log"
python3 "$directory/svg.py" "$directory/graph" >"$directory/out" || fail "the SVG of a comparison"
has out '^New#n \(500 ns, 50\.00%; before: 0, 0\.00%\)$'
has out '^open#end \(0 ns, 0\.00%; before: 800, 30\.19%\)$'

# events were lost, among them a return
make_log /dev/stdin <<'EVENTS'
block 0
1000 method-entry "A" "a" "f" 1 1
2000 method-entry "B" "b" "f" 1 1
loss method-return 1 2000 2500
3000 method-return "A" "a" "f" 1 1
4000 method-entry "C" "c" "f" 1 1
5000 method-return "C" "c" "f" 1 1
end
EVENTS
run 0 flame --folded -o - "$directory/log"
diff - "$directory/out" <<'LINES' || fail "stacks beside a loss"
A#a 1000
C#c 1000
[events lost] 500
LINES
has err ': 1 events were lost, and stacks end where they were: record with --lossless'
run 0 flame "$directory/log" -o "$directory/graph"
grep -q '<text id="note".*1 events were lost' "$directory/graph" || fail "a picture without a note of its losses"
head_of "$directory/graph" | grep -q ', 1 events lost$' || fail "a head without the losses"

# Losses are within a batch, and calls beside them whose returns are lost are not stacked up: of the
# calls between 1500 and 2500 it is not known which are within which.
python3 - >"$directory/events" <<'PYTHON'
print('block 0\n1000 method-entry "A" "a" "f" 1 1')
for time in range(1500, 2500, 10):
    print(time, 'method-entry "T%d" "t" "f" 1 1' % (time % 70))
print('loss method-return 100 1500 2500')
print('3000 method-entry "B" "b" "f" 1 1\n4000 method-entry "C" "c" "f" 1 1')
print('5000 method-return "C" "c" "f" 1 1\n6000 method-return "B" "b" "f" 1 1\nend')
PYTHON
make_log "$directory/events"
run 0 flame --folded -o - "$directory/log"
diff - "$directory/out" <<'LINES' || fail "calls beside a loss"
A#a 500
B#b 2000
B#b;C#c 1000
[events lost] 1000
LINES
run 0 trace --log "$directory/log" -qn 'vm$target:::method-entry { trace(timestamp % 10000); jstack(); }'
python3 - "$directory/out" <<'PYTHON' || fail "stacks that jstack( ) keeps beside a loss"
import sys
frames = [line for line in open(sys.argv[1]) if "#" in line]
assert not [f for f in frames if "T" in f] and [f for f in frames if "C" in f], frames
PYTHON

# names of all bytes, and a recursion that is deeper than what is shown
python3 - <<'PYTHON' >"$directory/events"
import sys
out = sys.stdout.buffer
quoted = {ord('"'): b'\\"', ord("\\"): b"\\\\", 10: b"\\n"}
every = b"".join(quoted.get(c, bytes([c])) for c in range(1, 256))
out.write(b"block 0\n")
time = 1000
names = (every, b"]]></script><script>alert(1)</script>", "漢字\uffff".encode(), b"\xed\xa0\x80", b"x" * 9000)
for name in names:
    out.write(b'%d method-entry "%s" "m" "f" 1 1\n' % (time, name))
    time += 1000
for depth in range(5000):
    out.write(b'%d method-entry "Deep" "m" "f" 1 2\n' % (time + depth))
out.write(b"%d thread-exit 2\nend\n" % (time + 50000))
PYTHON
make_log "$directory/events"
run 0 flame "$directory/log" -o "$directory/graph"
python3 "$directory/svg.py" "$directory/graph" >"$directory/out" || fail "hostile names"
has out '^\]\]></script><script>alert\(1\)</script>#m '
[ "$(grep -c '^Deep#m' "$directory/out")" = 1000 ] || fail "deep frames"
run 0 flame --pprof "$directory/log" -o "$directory/profile"
python3 "$directory/pprof.py" "$directory/profile" >"$directory/out" || fail "the profile of hostile names"
[ "$(grep -c '^Deep#m' "$directory/out")" = 5000 ] || fail "deep stacks in the profile"
run 0 flame --folded "$directory/log" -o "$directory/lines"
python3 - "$directory/lines" <<'PYTHON' || fail "folded lines"
import sys
lines = open(sys.argv[1], "rb").read().decode("utf-8", "strict").split("\n")
assert lines.pop() == ""
assert len(lines) == 4 + 1 + 5000, len(lines)
for line in lines:
    stack, number = line.rsplit(" ", 1)
    assert int(number) > 0 and all(ord(c) >= 32 and ord(c) != 127 for c in stack)
assert max(line.count(";") for line in lines) == 4999
PYTHON

# a running VM
"$TOY" tests/toy/loop.toy >/dev/null 2>&1 &
pids+=("$!")
await_stream "$!"
run 0 flame --folded --by calls --seconds 1 "$!" -o "$directory/lines"
grep -qE '^[^;]+.* [1-9][0-9]*$' "$directory/lines" || fail "no stacks of a running VM"
"$VMTAP" flame "$!" -o "$directory/live.svg" 2>"$directory/err" &
flame=$!
pids+=("$flame")
kill -KILL "${pids[0]}"
wait "${pids[0]}" 2>/dev/null
wait "$flame"

# samples of a running VM and of a log, with the VM's own stacks: what has begun before is known too
cat >"$directory/busy.toy" <<'TOY'
def leaf(turns)
  i = 0
  while i < turns
    i = i + 1
  end
end
def branch
  leaf(100000)
end
turns = 200
while turns > 0
  branch
  turns = turns - $1
end
TOY
sed 's/\$1/0/' "$directory/busy.toy" >"$directory/endless.toy"
sed 's/\$1/1/' "$directory/busy.toy" >"$directory/ends.toy"
"$TOY" "$directory/endless.toy" >/dev/null 2>&1 &
pids+=("$!")
await_stream "$!"
busy=$!
for option in --samples ''; do # samples are what a running VM is shown by
	# shellcheck disable=SC2086
	run 0 flame $option --folded --seconds 2 "$busy" -o "$directory/lines"
	awk '{ all += $NF } /^\(file\);Object#branch;Object#leaf / { leaf += $NF }
		END { exit !(leaf > 0 && leaf >= 0.8 * all) }' "$directory/lines" ||
		{ cat "$directory/lines"; fail "the samples of a running VM, $option"; }
done
run 0 flame --seconds 1 -o "$directory/graph" "$busy"
head_of "$directory/graph" | grep -qE '^[0-9.]+ m?s in [0-9]+ samples' || fail "a head without its samples"
run 0 flame --seconds 1 -o "$directory/graph" --lossless -p "$busy"
head_of "$directory/graph" | grep -qE '^[0-9.]+ m?s in [0-9]+ samples' || fail "a head of a trace without its samples"
# of every call, when some were lost: the line has the commands that lose none, which work
loses() { "$VMTAP" flame --exact --seconds 1 -o "$directory/graph" "$flood" 2>"$directory/err" && grep -q lost "$directory/err"; }
"$TOY" tests/toy/loop.toy >/dev/null 2>&1 &
flood=$!
pids+=("$flood")
await_stream "$flood"
kill -STOP "$busy"
await "no losses" loses
count=0
while IFS= read -r words; do
	count=$((count + 1))
	rm -f "$directory/graph"
	# shellcheck disable=SC2086
	run 0 ${words#vmtap }
	is_silent && [ -s "$directory/graph" ] || fail "'$words' loses some as well"
done < <(grep -oE "'vmtap [^']*'" "$directory/err" | tr -d "'")
[ "$count" = 2 ] || fail "$count commands instead of one that loses calls"
kill -KILL "$flood" "$busy"
# a VM without samples is shown by its calls
cat >"$directory/few.c" <<'C'
#include <unistd.h>
#include <vmtap.h>
static struct vmtap_name class = VMTAP_NAME("Few"), method = VMTAP_NAME("call"), file = VMTAP_NAME("few.c");
int main(void)
{
	vmtap_start(NULL);
	for (;;) {
		VMTAP_METHOD_ENTRY(&class, &method, &file, 1, 1);
		usleep(1000);
		VMTAP_METHOD_RETURN(&class, &method, &file, 1, 1);
	}
}
C
$CC -Iinclude -I"$BUILD/include" ${VMTAP_SANITIZED:+-fsanitize=address,undefined} -o "$directory/few" "$directory/few.c" \
	"$BUILD/libvmtap_probes.a" "$BUILD/libvmtap.a" -pthread || fail "compiling"
"$directory/few" &
few=$!
pids+=("$few")
await_stream "$few"
run 0 flame --folded --seconds 1 -o - "$few"
has err "^vmtap: $few: the VM gives no samples; its calls are shown$"
has out '^Few#call [0-9]+$'
run 0 record --samples --lossless -o "$directory/samples" -c "$TOY $directory/ends.toy"
run 0 flame --samples --folded "$directory/samples" -o "$directory/lines"
grep -qE '^\(file\);Object#branch;Object#leaf [1-9][0-9]*$' "$directory/lines" || fail "the samples of a log"
run 0 flame --folded "$directory/samples" -o "$directory/by_itself"
cmp "$directory/lines" "$directory/by_itself" || fail "a log without calls is not shown by its samples"
is_silent || fail "something is said of a log that has samples only"
# of samples that were lost, the advice is not to take samples
python3 - "$directory/samples" "$directory/lossy" <<'PYTHON' || fail "a log with losses"
import re, struct, sys
log = open(sys.argv[1], "rb").read()
types = {}
for match in re.finditer(b"etb\0", log[:1 << 16]):
    number, _, length = struct.unpack_from(">HHI", log, match.end())
    types[log[match.end() + 8:match.end() + 8 + length]] = number
[sample] = [number for text, number in types.items() if text.startswith(b"vm:::sample(")]
assert log[-2:] == b"\xff\xff"
loss = struct.pack(">HQHQQ", 402, 1 << 40, sample, 3, 1000)
open(sys.argv[2], "wb").write(log[:-2] + loss + log[-2:])
PYTHON
run 0 flame --samples "$directory/lossy" -o "$directory/graph"
has err ': 3 samples were lost, and the shares are those of the others: record with --lossless$'
grep -q 'events lost\]' "$directory/graph" && fail "lost samples have a frame"
grep -q '<text id="note".*>3 samples were lost.*with --lossless<' "$directory/graph" || fail "the note of lost samples"
# the log is read twice, but a line says only once that its end is missing
head -c -2 "$directory/samples" >"$directory/cut"
run 0 flame --folded "$directory/cut" -o "$directory/by_itself"
cmp "$directory/lines" "$directory/by_itself" || fail "a log without its end marker"
[ "$(grep -c 'it is truncated$' "$directory/err")" = 1 ] || fail "not one line about the end: $(cat "$directory/err")"
run 3 flame --samples "$directory/before" -o -
has err 'no samples with stacks'
run 2 flame --samples --by calls "$directory/samples" -o -

# errors
run 2 flame "$directory/log"
has err 'no file is named'
run 2 flame --by weight "$directory/log" -o -
run 2 flame --diff "$directory/log" -o -
run 2 flame --seconds 0 1 -o -
run 2 flame --seconds 1 "$directory/log" -o -
has err 'a recorded log has its own end'
run 3 flame "$directory/none" -o "$directory/new"
has err 'No such file'
make_log /dev/stdin <<'EVENTS'
block 0
1000 gc-work
end
EVENTS
run 3 flame "$directory/log" -o "$directory/new"
has err 'no calls \(method-entry, function-entry\)'
[ -e "$directory/new" ] && fail "a file without stacks"
run 3 flame "$directory/before" -o /dev/full
has err '/dev/full: No space left'
exit 0
